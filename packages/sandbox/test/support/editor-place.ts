import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SandboxProcess } from './process.ts';
import { type Answer, call, type Json, temporaryDirectory } from './test-server.ts';

const fakeEditor = fileURLToPath(new URL('fake-editor.mjs', import.meta.url));

/** The directories of a sandbox with an editor, and servers on them. */
export interface EditorPlace {
  directory: string;
  workspace: string;
  home: string;
  socket: string;
  /** Of its own programs, first on PATH. */
  bin: string;
  start(options?: StartOptions): Promise<SandboxProcess>;
  /** What the fake editor has noted of itself. */
  notes(): Json;
}

export interface StartOptions {
  args?: string[];
  env?: Record<string, string>;
}

export async function editorPlace(): Promise<EditorPlace> {
  const directory = await temporaryDirectory();
  const workspace = join(directory, 'work');
  const home = join(directory, 'home');
  const bin = join(directory, 'bin');
  for (const path of [workspace, home, bin]) mkdirSync(path);
  const socket = join(directory, 'editor.sock');
  const fixed = ['--socket', join(directory, 'server.sock'), '--terminal', 'pty', '--editor-socket', socket];
  const session = ['--session-dir', join(directory, 'session'), '--working-dir', workspace];
  return {
    directory,
    workspace,
    home,
    socket,
    bin,
    start: ({ args = [], env = {} } = {}) =>
      new SandboxProcess([...fixed, ...session, ...args], {
        HOME: home,
        PATH: pathWith(bin),
        ...env,
      }).ready(),
    notes: () => JSON.parse(readFileSync(join(workspace, 'editor.json'), 'utf8')),
  };
}

/** Puts the fake editor where it is found under a name. */
export function installFake(directory: string, name = 'code-server'): string {
  const path = join(directory, name);
  writeFileSync(path, `#!/bin/sh\nexec "${process.execPath}" "${fakeEditor}" "$@"\n`, { mode: 0o755 });
  return path;
}

export function askEditor(server: SandboxProcess, method = 'GET'): Promise<Answer> {
  return call(server.address, method, '/editor');
}

/** Asks until it is in that state. */
export async function untilEditor(server: SandboxProcess, state: string): Promise<Json> {
  for (;;) {
    const { json } = await askEditor(server);
    if (json.state === state) return json;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

export async function startEditor(server: SandboxProcess): Promise<Json> {
  await askEditor(server, 'POST');
  return untilEditor(server, 'running');
}

export function isAlive(pid: number): boolean {
  try {
    // One that nobody has waited for is dead.
    return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** The machine's own editors, if any, are not for tests. */
function pathWith(bin: string): string {
  return [bin, dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter);
}
