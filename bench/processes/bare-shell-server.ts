// The least that answers a command over HTTP: a handler around a pty with a plain interactive bash. Each request
// types one line, and is answered when the mark that the line prints has come back.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openPty } from './pty-library.ts';

const pty = openPty('bash', ['--norc', '--noprofile', '-i']);
let count = 0;
let wanted = '';
let seen = '';
let answer: () => void = () => undefined;

pty.onData((data) => {
  seen += data.toString('latin1');
  if (wanted === '' || !seen.includes(wanted)) return;
  wanted = '';
  answer();
});

const server = createServer((request, response) => {
  let body = '';
  request.on('data', (piece) => (body += String(piece)));
  request.on('end', () => {
    const { action } = JSON.parse(body) as { action: { args: { command: string } } };
    count += 1;
    seen = '';
    // What the terminal echoes has no escape character, and so is not taken for the mark.
    wanted = `\x1b]${count}\x07`;
    answer = () => {
      const text = JSON.stringify({ observation: 'run', content: '' });
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': text.length });
      response.end(text);
    };
    pty.write(`${action.args.command}; printf '\\e]%d\\a' ${count}\r`);
  });
});

server.listen(0, '127.0.0.1', () => console.log(`port ${(server.address() as AddressInfo).port} `));
process.on('SIGTERM', () => {
  pty.onExit(() => process.exit(0));
  pty.kill('SIGKILL');
});
