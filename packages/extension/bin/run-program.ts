// Runs a program in a terminal of VS Code, tells the bridge when it has ended, and keeps its output in sight.
import { spawn } from 'node:child_process';
import { rmdirSync } from 'node:fs';
import { request } from 'node:http';
import { basename } from 'node:path';

const [mark = '', program = '', ...args] = process.argv.slice(2);
const name = basename(args.at(-1) ?? program);
const { ELECTRON_RUN_AS_NODE, ...env } = process.env;

const retryMs = 1000;
const attempts = 30;

if (isFirstStart()) start();
else closeOnKey(`${name} is not started again by itself. Use "Fairlead: Run File"`);

/** A terminal that VS Code brings back starts what ran in it before, which nobody asked for. */
function isFirstStart(): boolean {
  try {
    rmdirSync(mark);
    return true;
  } catch {
    return false;
  }
}

function start(): void {
  const child = spawn(program, args, { stdio: 'inherit', env });
  // Ctrl-C reaches the program itself: it decides what to do with it.
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  child.on('error', (error) => finish(127, `${program} could not be started: ${error.message}`));
  child.on('exit', (code, signal) => {
    const how = code === null ? `was ended by ${signal}` : `ended with exit code ${code}`;
    finish(code ?? 128, `${name} ${how}`);
  });
}

function finish(exitCode: number, text: string): void {
  tellEnd(exitCode, attempts);
  closeOnKey(text);
}

function closeOnKey(text: string): void {
  process.stdout.write(`\r\n\u001b[2m[${text}. Press any key to close this terminal.]\u001b[0m\r\n`);
  if (process.stdin.isTTY) process.stdin.setRawMode(true);
  process.stdin.once('data', () => process.exit(0));
}

/** The window may be reloading just now. */
function tellEnd(exitCode: number, attemptsLeft: number): void {
  const address = env['FAIRLEAD_RUN_BRIDGE_ADDR'];
  const token = env['FAIRLEAD_RUN_BRIDGE_TOKEN'];
  if (address === undefined || token === undefined || attemptsLeft === 0) return;
  const url = new URL('/end', address.replace(/^ws:/, 'http:'));
  const sent = request(url, { method: 'POST', headers: { authorization: `Bearer ${token}` }, agent: false });
  sent.on('response', (response) => response.resume());
  sent.on('error', () => setTimeout(() => tellEnd(exitCode, attemptsLeft - 1), retryMs));
  sent.end(JSON.stringify({ exitCode }));
}
