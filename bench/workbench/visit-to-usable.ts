import { basename, join } from 'node:path';
import type { Browser } from 'playwright-core';
import { Workbench } from '../../tests/support/chromium-workbench.ts';
import { launchChromium, newContext } from '../../tests/support/launch-chromium.ts';
import { codeServerDirectory, prepareCodeServer } from '../../tests/support/prepare-code-server.ts';
import type { Row } from '../runner.ts';
import { freePort } from '../support/free-port.ts';
import { GatewayServer } from '../support/gateway-server.ts';
import { ratioAtMost } from '../support/rows.ts';
import { median, takeInTurns, timeMs } from '../support/samples.ts';

/** With an editor that runs already, and a browser that has nothing of it in its cache. */
export async function visitToUsable(amount: { rounds: number; warmUpRounds: number }): Promise<Row[]> {
  const { directory, program } = await prepareCodeServer();
  const gateway = await GatewayServer.start({ warmSize: 0, editors: codeServerDirectory });
  const browser = await launchChromium([]);
  try {
    const id = await gateway.createSession();
    await gateway.run(id, 'echo hello >hello.txt');
    const editorLink = () => gateway.link(id, { place: 'editor' });
    await visit(browser, await editorLink());
    const port = await freePort();
    await gateway.run(id, startSecond(join('/opt/fairlead-editor', basename(directory), program), port));
    const samples = await takeInTurns(
      {
        direct: { inARow: 1, take: () => visit(browser, `http://127.0.0.1:${port}/`) },
        proxied: { inARow: 1, take: async () => visit(browser, await editorLink()) },
      },
      amount,
    );
    return [
      ratioAtMost({
        what: 'visit to usable workbench, p50',
        figure: median(samples.proxied),
        unit: 'ms',
        floor: median(samples.direct),
        floorWhat: 'the editor server itself',
        bar: 1.2,
      }),
    ];
  } finally {
    await browser.close();
    await gateway.close();
  }
}

async function visit(browser: Browser, url: string): Promise<number> {
  const context = await newContext(browser);
  try {
    const page = await context.newPage();
    return await timeMs(() => Workbench.open(page, url));
  } finally {
    await context.close();
  }
}

/** The same editor once more in the same sandbox, with the same settings, on a port of its own. */
function startSecond(program: string, port: number): string {
  const options = [
    `--bind-addr=127.0.0.1:${port}`,
    '--auth=none',
    '--config=/dev/null',
    '--user-data-dir=/tmp/second/data',
    '--extensions-dir=/tmp/second/extensions',
    '--disable-telemetry --disable-update-check --disable-workspace-trust',
    '--disable-getting-started-override --disable-proxy --ignore-last-opened',
  ];
  return [
    'mkdir -p /tmp/second/data /tmp/second/extensions;',
    'cp -r ~/.local/share/fairlead-editor/data/User /tmp/second/data;',
    'cp -P ~/.local/share/fairlead-editor/extensions/fairlead.fairlead /tmp/second/extensions;',
    `${program} ${options.join(' ')} /workspace >/tmp/second/log 2>&1 &`,
    `until (: </dev/tcp/127.0.0.1/${port}) 2>/dev/null; do sleep 0.1; done`,
  ].join(' ');
}
