import { chmodSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { connectionToken } from './connection-token.ts';
import { hasToken } from './editor-arguments.ts';
import { adoptLife, type EditorLife } from './editor-life.ts';
import { endOfLog } from './editor-log.ts';
import { askVersion, untilAnswering } from './editor-probe.ts';
import { EditorProcesses, type ProcessOptions } from './editor-processes.ts';
import {
  type EditorKind,
  type EditorProgram,
  findEditor,
  type GivenEditor,
  isThere,
} from './editor-program.ts';
import { IdleTimer } from './idle-timer.ts';

export interface EditorOptions extends ProcessOptions {
  given: GivenEditor | undefined;
  /** How long it stays when nobody says that somebody is there. */
  idleSeconds: number;
  log(line: string): void;
}

export interface EditorStatus {
  state: 'missing' | Phase['state'];
  product: EditorKind | null;
  /** The commit of VS Code, of one that runs. */
  version: string | null;
  detail: string;
  /** What it opens. */
  folder: string;
  /** What the editor itself asks browsers for; null for one that asks for nothing. */
  token: string | null;
}

type Phase =
  | { state: 'stopped' | 'failed'; detail: string }
  | { state: 'starting'; detail: string; program: EditorProgram; life: EditorLife | undefined }
  | { state: 'running'; detail: string; program: EditorProgram; life: EditorLife; version: string };

const startTimeoutMs = 60_000;
const takeOverTimeoutMs = 3_000;

/** The web VS Code of a session: started when it is asked for, ended when nobody is there, found again after a restart. */
export class EditorServer {
  readonly #options: EditorOptions;
  readonly #processes: EditorProcesses;
  #phase: Phase = { state: 'stopped', detail: 'The first visit starts it' };
  #idle: IdleTimer | undefined;
  #ending: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(options: EditorOptions) {
    this.#options = options;
    this.#processes = new EditorProcesses(options);
  }

  status(): EditorStatus {
    const phase = this.#phase;
    const program = 'program' in phase ? phase.program : this.#find();
    const { given, sessionDir, workspace } = this.#options;
    return {
      state: program === undefined ? 'missing' : phase.state,
      product: program?.kind ?? null,
      version: phase.state === 'running' ? phase.version : null,
      detail: program === undefined ? missing(given) : phase.detail,
      folder: workspace,
      token: program !== undefined && hasToken(program.kind) ? connectionToken(sessionDir) : null,
    };
  }

  /** Somebody is there: starts it where it does not run, and lets it stay for another while. */
  start(): EditorStatus {
    this.#idle?.renew();
    const phase = this.#phase;
    // One whose files were removed answers still, and is of no use.
    if (phase.state === 'running' && !isThere(phase.program)) void this.stop();
    const program = 'program' in this.#phase || this.#isClosed ? undefined : this.#find();
    if (program !== undefined) void this.#bringUp(program);
    return this.status();
  }

  async stop(detail = 'It was stopped; the next visit starts it again'): Promise<EditorStatus> {
    this.#leave({ state: 'stopped', detail });
    await this.#ending;
    return this.status();
  }

  /** Follows the editor that an earlier server left, or ends what is left of it. */
  async takeOver(): Promise<void> {
    const { socket, log } = this.#options;
    const program = this.#find();
    const version = await askVersion(socket, { timeoutMs: takeOverTimeoutMs });
    if ('program' in this.#phase || this.#isClosed) return;
    if (version === undefined || program === undefined) {
      this.#leave(this.#phase);
    } else {
      this.#run(program, adoptLife(socket), version);
      log(`${program.kind} of an earlier server is taken over`);
    }
  }

  /** Whether the process is the editor, or was started in it. */
  holds(pid: number): boolean {
    return this.#processes.holds(pid);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.stop();
  }

  #find(): EditorProgram | undefined {
    return findEditor(this.#options.given, this.#options.env['PATH']);
  }

  async #bringUp(program: EditorProgram): Promise<void> {
    const { socket, log } = this.#options;
    const { kind } = program;
    const starting: Phase = { state: 'starting', detail: `${kind} is starting`, program, life: undefined };
    this.#phase = starting;
    // What is left of one before it must be gone.
    await this.#ending;
    if (this.#phase !== starting) return;
    const startedAtMs = Date.now();
    try {
      const life = this.#processes.launch(program);
      starting.life = life;
      const version = await firstAnswer(life, socket);
      if (this.#phase !== starting) return;
      chmodSync(socket, 0o600);
      this.#run(program, life, version);
      log(`${kind} answers after ${Date.now() - startedAtMs} ms`);
    } catch (error) {
      if (this.#phase !== starting) return;
      const detail = [`${kind} ${(error as Error).message}`, endOfLog(this.#processes.files.log, startedAtMs)]
        .join('\n')
        .trim();
      this.#leave({ state: 'failed', detail });
      log(detail);
    }
  }

  #run(program: EditorProgram, life: EditorLife, version: string): void {
    const { idleSeconds, log } = this.#options;
    const { kind } = program;
    const running: Phase = { state: 'running', detail: `${kind} is running`, program, life, version };
    this.#phase = running;
    this.#idle = new IdleTimer(idleSeconds, () => {
      log(`${kind} was not used for ${idleSeconds} seconds`);
      void this.stop(
        `It was stopped after ${idleSeconds} seconds without visitors; the next visit starts it again`,
      );
    });
    void life.gone.then((how) => {
      if (this.#phase !== running) return;
      this.#leave({ state: 'stopped', detail: `${kind} ${how}; the next visit starts it again` });
      log(`${kind} ${how}`);
    });
  }

  /** Whatever there is of the editor is ended; `#ending` says when. */
  #leave(next: Phase & { state: 'stopped' | 'failed' }): void {
    const life = 'life' in this.#phase ? this.#phase.life : undefined;
    this.#phase = next;
    this.#idle?.stop();
    this.#idle = undefined;
    this.#ending = this.#ending
      .then(() => this.#processes.end(life))
      .catch((error: Error) => this.#options.log(`the editor cannot be ended: ${error.message}`));
  }
}

function missing(given: GivenEditor | undefined): string {
  const named = given === undefined ? '' : `, and no ${given.command[0]}`;
  return (
    `No web VS Code was found: there is no code-server, openvscode-server or code on PATH${named}. ` +
    'Run "fairlead editor install" where the gateway runs; the next visit finds it'
  );
}

/** Its version, when it answers. Rejects with why it does not. */
async function firstAnswer(life: EditorLife, socket: string): Promise<string> {
  const waiting = new AbortController();
  const { signal } = waiting;
  try {
    const version = await Promise.race([
      untilAnswering(socket, signal),
      life.gone.then((how) => Promise.reject(new Error(`${how} before it answered`))),
      delay(startTimeoutMs, undefined, { signal, ref: false }),
    ]);
    if (version !== undefined) return version;
    throw new Error(`did not answer within ${startTimeoutMs / 1000} seconds`);
  } finally {
    waiting.abort();
  }
}
