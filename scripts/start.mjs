import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { nodeFlags } from '../packages/sandbox/bin/node-flags.mjs';
import { bootstrap } from './bootstrap.mjs';
import { runMain, UserError } from './fail.mjs';
import { freePortFrom, isFree } from './free-port.mjs';
import { environmentOfUser, root } from './paths.mjs';
import { ended, spawnPinned } from './run-pinned.mjs';
import { readOrCreateSessionKey } from './session-key.mjs';
import { whatToTry } from './what-to-try.mjs';

const serverProgram = join('packages', 'sandbox', 'bin', 'fairlead-sandbox.mjs');
const defaultPort = 3000;
const startLimitMs = 30_000;

const usage = `npm start [-- options]

  --port N           listen on this port of 127.0.0.1 (default ${defaultPort}, or the next free one)
  --workspace DIR    the folder the agent works in (default ./workspace)
  --help             this text

Every other option goes to the sandbox server as it is.
The session key is kept in a file; set SESSION_API_KEY to bring your own.
`;

await runMain(async (words) => {
  const options = parse(words);
  if (options.help) {
    process.stdout.write(usage);
    return 0;
  }
  await bootstrap();
  const port = await choosePort(options.port);
  const workspace = makeWorkspace(options.workspace ?? join(root, 'workspace'));
  const ownKey = process.env.SESSION_API_KEY;
  const { file: keyFile, key } = ownKey ? { key: ownKey } : readOrCreateSessionKey();

  const args = [...nodeFlags, serverProgram, String(port), '--working-dir', workspace, ...options.passedOn];
  const env = environmentOfUser({ SESSION_API_KEY: key, FAIRLEAD_LAUNCHER: '1' });
  const server = spawnPinned(args, env, { hasChannel: true });
  const end = ended(server);
  if (await isAlive(port, end)) process.stdout.write(whatToTry({ port, workspace, keyFile }));
  else if (server.exitCode === null && server.signalCode === null) {
    server.kill('SIGTERM');
    throw new UserError(`The sandbox server did not answer on port ${port} within ${startLimitMs / 1000} s.`);
  }
  const { code, signal } = await end;
  if (code !== 0) {
    const how = signal ?? `exit code ${code}`;
    throw new UserError(`The sandbox server ended with ${how}; see its message above.`);
  }
  process.stdout.write('Stopped.\n');
  return 0;
});

function parse(args) {
  const options = { passedOn: [] };
  for (let index = 0; index < args.length; index++) {
    const [name, inline] = args[index].split(/=(.*)/s);
    if (name === '--help' || name === '-h') options.help = true;
    else if (name === '--port') options.port = parsePort(inline ?? args[++index]);
    else if (name === '--workspace')
      options.workspace = inline ?? args[++index] ?? fail('--workspace needs a folder.');
    else options.passedOn.push(args[index]);
  }
  return options;
}

function parsePort(text) {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 1 && port <= 65_535) return port;
  return fail(`--port needs a number from 1 to 65535, not ${text === undefined ? 'nothing' : `'${text}'`}.`);
}

function fail(message) {
  throw new UserError(`${message}\n\n${usage}`, 2);
}

async function choosePort(asked) {
  if (asked === undefined) {
    const port = await freePortFrom(defaultPort);
    if (port !== defaultPort) process.stderr.write(`Port ${defaultPort} is taken, so this uses ${port}.\n`);
    return port;
  }
  if (await isFree(asked)) return asked;
  throw new UserError(`Port ${asked} is taken or not allowed. Choose another: npm start -- --port N`);
}

function makeWorkspace(path) {
  // npm runs scripts in the checkout; a relative path means where the user typed it.
  const workspace = resolve(process.env.INIT_CWD ?? process.cwd(), path);
  try {
    mkdirSync(workspace, { recursive: true });
    return workspace;
  } catch (error) {
    throw new UserError(`Cannot create the workspace ${workspace}: ${error.message}`);
  }
}

async function isAlive(port, end) {
  let over = false;
  void end.finally(() => (over = true)).catch(() => undefined);
  for (const deadline = Date.now() + startLimitMs; !over && Date.now() < deadline; await sleep(20)) {
    const answer = await fetch(`http://127.0.0.1:${port}/alive`).catch(() => undefined);
    if (answer?.ok) return true;
  }
  return false;
}
