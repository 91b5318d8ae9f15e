import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { until } from '../gateway/support/wait.ts';
import { Script, telling } from './support/scripts.ts';
import type { VscodeWindow } from './support/vscode-window.ts';
import { useWindows, windowNeeds } from './support/windows.ts';

const firstClient = fileURLToPath(new URL('../bridge/support/first_client.py', import.meta.url));

/** As programs of the first version tell of work that they leave to the window. */
const form = {
  event: 'asyncOperationStarted',
  body: {
    operationId: 1,
    operationType: 'form',
    resumeToken: 'first',
    transitionName: 't_form',
    uiState: { formSpec: { title: 'Approve the change?' } },
    metadata: {},
  },
};
const lambda = (operationId: number, name: string) => ({
  event: 'asyncOperationStarted',
  body: {
    operationId,
    operationType: 'lambda',
    resumeToken: `token-${operationId}`,
    metadata: { operationParams: { name, args: [42] } },
  },
});

describe('a program under a debugger, and programs of before', windowNeeds, () => {
  const windows = useWindows({
    extensions: ['model', 'debugger'],
    settings: {
      'chat.disableAIFeatures': false,
      'fairlead.commands.allowed': ['score'],
      'fairlead.consent.command': 'allow',
    },
  });
  let window: VscodeWindow;
  beforeAll(async () => {
    window = await windows.open({ until: 'suite' });
  }, windowNeeds.timeout);

  test('is answered through a debug adapter, and ordinary debugging goes on', async () => {
    const requests = [
      { type: 'vscode/showMessage', params: { message: 'From a debug session' } },
      { type: 'vscode/chat', params: { message: 'hi', timeout: 30_000 } },
      { type: 'vscode/chat', params: { message: 'refuse', timeout: 30_000 } },
      { type: 'vscode/unheard', params: {} },
    ];
    const answers = await debug('Net', requests);
    await window.notified(/From a debug session \(Net\)/);
    expect(await answersIn(answers)).toMatchObject({
      answers: [
        { requestId: 0, success: true, result: { button: null } },
        { requestId: 1, success: true, result: { response: 'Parrot: hi' } },
        { requestId: 2, success: true, result: { response: '', blocked: true, blockedReason: 'refusal' } },
        {
          requestId: 3,
          success: false,
          error: expect.stringContaining('Unknown request type: vscode/unheard'),
        },
      ],
    });
  });

  test('of the first version leaves work to the person and to commands that are allowed, also from a debug session', async () => {
    await window.evaluate((vscode) => {
      vscode.commands.registerCommand('score', (value: unknown) => ({ score: value }));
      vscode.commands.registerCommand('unlisted', () => undefined);
    });
    const script = await Script.run(
      window,
      'net.py',
      telling(
        'json.loads("[" + ",".join(told.stdout.splitlines()) + "]")',
        `import subprocess
client = [sys.executable, ${JSON.stringify(firstClient)}]
told = subprocess.run([*client, *${JSON.stringify([form, lambda(2, 'score'), lambda(3, 'unlisted')].map((it) => JSON.stringify(it)))}], stdout=-1, text=True)`,
      ),
    );
    await window.input.getByText('net.py asks').waitFor();
    await window.screenshot('bridge operation');
    await window.answerInput('{"approved": true}', 'Approve the change?');
    expect(await script.told()).toEqual([
      { operationId: 1, resumeToken: 'first', result: { approved: true }, error: null },
      { operationId: 2, resumeToken: 'token-2', result: { score: 42 }, error: null },
      {
        operationId: 3,
        resumeToken: 'token-3',
        result: null,
        error: expect.stringContaining('fairlead.commands.allowed'),
      },
    ]);

    const answers = await debug('Form', [form]);
    await window.answerInput('not now', /Form asks/);
    expect(await answersIn(answers)).toMatchObject({
      answers: [{ operationId: 1, resumeToken: 'first', result: 'not now', error: null }],
    });
  });

  test('gets the bridge from "Debug File" too, until the debug session ends', async () => {
    const script = Script.write(window, 'debugged.py', 'print(1)\n');
    const answers = `${script.file}.answers`;
    await window.evaluate(
      async (vscode, file, path) => {
        // What a launch configuration would say.
        vscode.debug.registerDebugConfigurationProvider('asking', {
          resolveDebugConfiguration: (_folder, given) => ({ ...given, answers: file, stays: true }),
        });
        await vscode.commands.executeCommand('fairlead.debugFile', vscode.Uri.file(path));
      },
      answers,
      script.file,
    );
    const { env } = (await answersIn(answers)) as { env: Record<string, string> };
    const socket = new WebSocket(env['FAIRLEAD_RUN_BRIDGE_ADDR']!, {
      headers: { authorization: `Bearer ${env['FAIRLEAD_RUN_BRIDGE_TOKEN']}` },
    });
    await once(socket, 'open');
    await window.evaluate((vscode) => vscode.debug.stopDebugging());
    expect((await once(socket, 'close'))[0]).toBe(1001);
  });

  test('talks to the window under VS Code’s own debugger, which stops where it is told to', async () => {
    const text = `import { writeFileSync } from 'node:fs';
const { FAIRLEAD_RUN_BRIDGE_ADDR: address, FAIRLEAD_RUN_BRIDGE_TOKEN: token } = process.env;
writeFileSync(process.argv[1] + '.told', JSON.stringify(token));
process.stdout.write('printed by the program\\n');
const params = { message: 'From under the debugger' };
debugger;
await fetch(address.replace('ws:', 'http:') + 'request', {
  method: 'POST',
  headers: { authorization: 'Bearer ' + token },
  body: JSON.stringify({ type: 'vscode/showMessage', params }),
});
`;
    const script = Script.write(window, 'stops.mjs', text);
    const terminals = await window.terminalNames();
    await window.evaluate(
      (vscode, path) => vscode.commands.executeCommand('fairlead.debugFile', vscode.Uri.file(path)),
      script.file,
    );
    await window.until('the debugger to stop', (vscode) => vscode.debug.activeStackItem !== undefined);
    const token = (await script.told()) as string;
    // A terminal would have been started by a line that has the token in it.
    expect(await window.terminalNames()).toEqual(terminals);
    expect(commandLines().filter((line) => line.includes(token))).toEqual([]);
    await window.executeCommand('workbench.panel.repl.view.focus');
    await window.page.locator('.repl').getByText('printed by the program').waitFor();
    expect(await window.page.locator('body').innerText()).not.toContain(token);
    await window.executeCommand('workbench.action.debug.continue');
    await window.notified(/From under the debugger \(stops\.mjs\)/);
    await window.evaluate((vscode) => vscode.debug.stopDebugging());
  });

  /** Runs the debug adapter of `fixtures/debugger`, which asks these; the file that it writes the answers to. */
  async function debug(name: string, requests: object[]): Promise<string> {
    const answers = join(window.path, `${name}.answers`);
    await window.evaluate(
      (vscode, given) =>
        vscode.debug.startDebugging(undefined, { type: 'asking', request: 'launch', ...given }),
      { name, answers, requests },
    );
    return answers;
  }

  async function answersIn(file: string): Promise<unknown> {
    await until(() => existsSync(file), 'the answers of the debug session', 60_000);
    return JSON.parse(readFileSync(file, 'utf8')) as unknown;
  }
});

/** Of every process on this machine. */
function commandLines(): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      } catch {
        return '';
      }
    });
}
