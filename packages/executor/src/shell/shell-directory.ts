import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { initScript, shellFiles } from './init-script.ts';

const secretFile = 'secret';
const launchFile = 'launch.sh';
const goneFile = 'gone';

/** One command as it was handed to the shell: enough to know it again after a restart. */
export interface CommandRecord {
  n: number;
  actionId: string;
  command: string;
}

/** What a shell wrote down before its last prompt, or as it exited. */
export interface SavedState {
  n: number;
  exitCode: number;
  backgroundPid: number | null;
  /** A script that puts the exported variables and the directory back. */
  file: string;
}

/** The private files through which a shell and its session talk, and by which a later process finds the shell. */
export class ShellDirectory {
  readonly path: string;
  readonly secret: string;
  readonly #commandFile: string;

  constructor(path: string, owner?: { uid: number; gid: number }) {
    this.path = path;
    this.#commandFile = join(path, shellFiles.command);
    mkdirSync(path, { recursive: true, mode: 0o700 });
    chmodSync(path, 0o700);
    if (!existsSync(join(path, secretFile))) this.#write(secretFile, randomBytes(16).toString('hex'));
    this.secret = readFileSync(join(path, secretFile), 'utf8');
    this.#write(shellFiles.init, initScript(this.secret, path));
    if (owner === undefined) return;
    for (const file of ['', secretFile, shellFiles.init]) chownSync(join(path, file), owner.uid, owner.gid);
  }

  get goneFile(): string {
    return join(this.path, goneFile);
  }

  /** The exit code of a shell that ended while nobody listened; undefined while it lives. */
  readGone(): number | undefined {
    const code = this.#read(goneFile).trim();
    return code === '' ? undefined : Number(code);
  }

  forgetGone(): void {
    rmSync(this.goneFile, { force: true });
  }

  /** Returns the path of the script that starts the shell. */
  writeLaunchScript(script: string): string {
    this.#write(launchFile, script);
    return join(this.path, launchFile);
  }

  get initFile(): string {
    return join(this.path, shellFiles.init);
  }

  /** Lays a command ready for the shell to take. */
  writeCommand({ n, actionId, command }: CommandRecord): void {
    // The shell's user must be able to read it; nobody else gets into the directory.
    writeFileSync(this.#commandFile, `${n} ${actionId}\n${command}`, { mode: 0o644 });
  }

  readCommand(): CommandRecord | undefined {
    const parts = /^(\d+) (\S*)\n(.*)$/s.exec(this.#read(shellFiles.command));
    return parts === null
      ? undefined
      : { n: Number(parts[1]), actionId: parts[2] as string, command: parts[3] as string };
  }

  /** The last command that the shell took up, and the shell's process id; zeros before the first. */
  readBegun(): { n: number; pid: number } {
    const [n = 0, pid = 0] = this.#read(shellFiles.begun).trim().split(' ').map(Number);
    return { n, pid };
  }

  /** The newest state that was written whole. */
  readState(): SavedState | undefined {
    const states = shellFiles.state.map((name) => parseState(join(this.path, name), this.#read(name)));
    return states.filter((state) => state !== undefined).sort((a, b) => b.n - a.n)[0];
  }

  #read(name: string): string {
    try {
      return readFileSync(join(this.path, name), 'utf8');
    } catch {
      return '';
    }
  }

  #write(name: string, content: string): void {
    writeFileSync(join(this.path, name), content, { mode: 0o600 });
  }
}

function parseState(file: string, content: string): SavedState | undefined {
  const header = /^#(\d+) (\d+) (\d*)\n/.exec(content);
  if (header === null || !content.endsWith('\n#end\n')) return undefined;
  return {
    n: Number(header[1]),
    exitCode: Number(header[2]),
    backgroundPid: header[3] === '' ? null : Number(header[3]),
    file,
  };
}
