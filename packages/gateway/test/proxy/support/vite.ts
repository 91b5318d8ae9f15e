import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const command = fileURLToPath(new URL('../../../../../node_modules/vite/bin/vite.js', import.meta.url));

export interface ViteServer {
  port: number;
  /** Of the module whose text the page shows; it takes new versions of itself while the page is open. */
  write(text: string): Promise<void>;
}

/** A real development server on a small page. */
export async function startVite(base: string): Promise<ViteServer> {
  const directory = await mkdtemp(join(tmpdir(), 'fairlead-vite-'));
  const write = (text: string) =>
    writeFile(
      join(directory, 'shown.js'),
      `document.getElementById('shown').textContent = ${JSON.stringify(text)};\nimport.meta.hot.accept();\n`,
    );
  await write('first');
  await writeFile(
    join(directory, 'index.html'),
    '<!doctype html><title>page</title><p id="shown"></p><script type="module" src="/shown.js"></script>',
  );
  const child = spawn(process.execPath, [command, '--port', '0', '--host', '127.0.0.1', '--base', base], {
    cwd: directory,
    env: { ...process.env, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
    await rm(directory, { recursive: true, force: true });
  });
  let said = '';
  for await (const piece of child.stdout) {
    said += String(piece);
    const port = /http:\/\/127\.0\.0\.1:(\d+)/.exec(said)?.[1];
    if (port !== undefined) return { port: Number(port), write };
  }
  throw new Error(`vite ended before it listened: ${said}`);
}
