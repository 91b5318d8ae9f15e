// The least that reads a command's output: counts bytes. Told `FILE<tab>BYTES`, it says how long they took to come.
import { createInterface } from 'node:readline';
import { openPty } from './pty-library.ts';

createInterface({ input: process.stdin }).on('line', (line) => {
  const [file = '', expected] = line.split('\t');
  const startedAt = performance.now();
  let missing = Number(expected);
  // The library loses the last bytes of a program that ends; a shell in which it ran does not end.
  const pty = openPty('sh', ['-c', 'cat "$0"; read -r _', file]);
  pty.onData((data) => {
    missing -= data.length;
    if (missing > 0) return;
    console.log(`took ${performance.now() - startedAt} ms`);
    pty.kill('SIGKILL');
  });
});
