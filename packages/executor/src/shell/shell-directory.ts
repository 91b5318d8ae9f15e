import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { initScript, mayChangeState, shellFiles, shownCommand } from './init-script.ts';

const secretFile = 'secret';
const launchFile = 'launch.sh';
const goneFile = 'gone';

/** One command as it was handed to the shell: enough to know it again after a restart. */
export interface CommandRecord {
  n: number;
  actionId: string;
  command: string;
}

/** How the last command ended that the shell has reported. */
export interface EndRecord {
  n: number;
  exitCode: number;
  backgroundPid: number | null;
}

/** The private files through which a shell and its session talk, and by which a later process finds the shell. */
export class ShellDirectory {
  readonly path: string;
  readonly secret: string;
  readonly #isAdoptable: boolean;
  readonly #owner: { uid: number; gid: number } | undefined;
  /** Descriptor of the command file, open as long as the shell is. */
  #command: number;
  #launchScript = '';
  #lastCommand: CommandRecord | undefined;

  constructor(path: string, isAdoptable: boolean, owner?: { uid: number; gid: number }) {
    this.path = path;
    this.#isAdoptable = isAdoptable;
    this.#owner = owner;
    this.secret = this.#read(secretFile) || randomBytes(16).toString('hex');
    this.#command = this.#lay();
  }

  /** Makes good what somebody has removed: an agent may well empty /tmp. */
  restore(): void {
    if (existsSync(this.initFile)) return;
    closeSync(this.#command);
    this.#command = this.#lay();
    this.#write(launchFile, this.#launchScript);
    if (this.#lastCommand !== undefined) this.writeCommand(this.#lastCommand);
  }

  /** Closes and removes it: nothing of the shell is left to be found again. */
  remove(): void {
    closeSync(this.#command);
    rmSync(this.path, { recursive: true, force: true });
  }

  #lay(): number {
    const { path } = this;
    mkdirSync(path, { recursive: true, mode: 0o700 });
    chmodSync(path, 0o700);
    this.#write(secretFile, this.secret);
    this.#write(shellFiles.init, initScript(this.secret, path, this.#isAdoptable));
    // The shell's user must be able to read it; nobody else gets into the directory.
    const command = openSync(join(path, shellFiles.command), constants.O_RDWR | constants.O_CREAT, 0o644);
    const { uid, gid } = this.#owner ?? {};
    if (uid !== undefined && gid !== undefined)
      for (const file of ['', secretFile, shellFiles.init]) chownSync(join(path, file), uid, gid);
    return command;
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
    this.#launchScript = script;
    this.#write(launchFile, script);
    return join(this.path, launchFile);
  }

  get initFile(): string {
    return join(this.path, shellFiles.init);
  }

  /** Lays a command ready for the shell to take. */
  writeCommand(record: CommandRecord): void {
    const { n, actionId, command } = record;
    this.#lastCommand = record;
    const shown = shownCommand(this.secret, n, command);
    const saves = mayChangeState(command) ? '1' : '';
    const bytes = Buffer.from(`${n}\0${shown}\0${command}\0${saves}\0${actionId}\0`);
    // Written over, not emptied first, for the same reason as the shell's own files.
    for (let at = 0; at < bytes.length;) at += writeSync(this.#command, bytes, at, bytes.length - at, at);
  }

  /**
   * Before a new shell starts: what one before it had begun has ended with that, and the first prompt of the new one must
   * not be taken for its end. Only the number is kept. A command that was never begun is left for the new shell.
   */
  forgetBegun(): void {
    const record = this.readCommand();
    if (record !== undefined && record.n <= this.readBegun().n)
      this.writeCommand({ n: record.n, actionId: '', command: '' });
  }

  readCommand(): CommandRecord | undefined {
    const [n, , command, , actionId] = this.#read(shellFiles.command).split('\0', 5);
    if (n === undefined || command === undefined || actionId === undefined) return undefined;
    return { n: Number(n), actionId, command };
  }

  /** The last command that the shell took up, and the shell's process id; zeros before the first. */
  readBegun(): { n: number; pid: number } {
    const [n = 0, pid = 0] = this.#readLine(shellFiles.begun).split(' ').map(Number);
    return { n, pid };
  }

  readEnded(): EndRecord | undefined {
    const [n, exitCode, pid] = this.#readLine(shellFiles.ended).split(' ');
    if (!n || exitCode === undefined) return undefined;
    return { n: Number(n), exitCode: Number(exitCode), backgroundPid: pid ? Number(pid) : null };
  }

  /** A script that puts exported variables and directory back: the newest one that was written whole. */
  findState(): string | undefined {
    const states = shellFiles.state.map((name) => ({ name, n: stateNumber(this.#read(name)) }));
    const newest = states.sort((a, b) => b.n - a.n)[0];
    return newest === undefined || newest.n < 0 ? undefined : join(this.path, newest.name);
  }

  /** The shell writes over what was there: behind the first line may be the rest of a longer one. */
  #readLine(name: string): string {
    return this.#read(name).split('\n', 1)[0] as string;
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

/** -1 for a state that is not there, or that its shell could not finish. */
function stateNumber(content: string): number {
  const n = /^#(\d+)\n/.exec(content)?.[1];
  return n !== undefined && content.includes(`\n#end ${n}\n`) ? Number(n) : -1;
}
