import {
  type EditArgs,
  type Observation,
  type PlaceLink,
  type PlaceLinkRequest,
  type RunObservation,
  type SessionEvent,
  sessionEvent,
  type ShownPort,
} from '@fairlead/protocol';
import { type ActionEvent, newActionId, sendAction } from './actions.ts';
import { fileNames } from './answers.ts';
import { FairleadError } from './fairlead-error.ts';
import { checkAnswer, type Connection, parseJson, reaching, request, requestJson } from './http.ts';
import { makeLink } from './links.ts';
import { listPorts, watchPorts } from './ports.ts';
import { type RunOptions, runCommand } from './run.ts';
import type { RunResult } from './run-result.ts';
import { openTerminal, type Terminal, type TerminalOptions } from './terminal.ts';
import { textLines } from './text-lines.ts';
import { upload, type UploadData, type UploadOptions } from './upload.ts';
import { type WatchOptions, watchSession } from './watch.ts';

/** Work in one session. Nothing is asked of the gateway before the first call. */
export class SessionHandle {
  readonly id: string;
  readonly #connection: Connection;

  constructor(connection: Connection, id: string) {
    this.#connection = connection;
    this.id = id;
  }

  /** Runs a command in a persistent shell and waits for its end, or for the time-out. */
  run(command: string, options: RunOptions = {}): Promise<RunResult> {
    return runCommand(this.#connection, this.id, command, options);
  }

  /** Any action, as the protocol has it. It runs once, however often the connection breaks. */
  act(
    event: ActionEvent,
    { actionId = newActionId(), signal }: { actionId?: string; signal?: AbortSignal } = {},
  ): Promise<Observation> {
    return sendAction(this.#connection, this.id, event, { actionId, signal });
  }

  /** A file's text; relative paths are those of the shell. */
  async read(path: string): Promise<string> {
    return (await this.#done({ action: 'read', args: { path } })).content;
  }

  /** A text file; its last line gets an end where it has none. For exact bytes there is `upload`. */
  async write(path: string, content: string): Promise<void> {
    // The action puts an end to every line, also behind one that is there already.
    await this.#done({ action: 'write', args: { path, content: content.replace(/\n$/, '') } });
  }

  /** One command of the editor (`create`, `str_replace`, `insert`, `undo_edit`, `view`); answers with its text. */
  async edit(args: Pick<EditArgs, 'path' | 'command'> & Partial<EditArgs>): Promise<string> {
    const { content } = await this.#done({ action: 'edit', args });
    if (content.startsWith('ERROR:')) throw new FairleadError('action-failed', content);
    return content;
  }

  /** Names in a directory, relative to the workspace; those of directories end with `/`. */
  list(path = ''): Promise<string[]> {
    return requestJson(this.#connection, fileNames, 'POST', `runtimes/${this.id}/list_files`, {
      json: { path },
    });
  }

  upload(data: UploadData, options: UploadOptions): Promise<void> {
    return upload(this.#connection, this.id, data, options);
  }

  /** A file or directory at an absolute path, as a zip with names relative to it. */
  async download(
    path: string,
    { signal }: { signal?: AbortSignal } = {},
  ): Promise<ReadableStream<Uint8Array>> {
    const query = { path };
    const response = await request(this.#connection, 'GET', `runtimes/${this.id}/download_files`, {
      query,
      signal,
    });
    return response.body ?? new Blob([]).stream();
  }

  watch(options: WatchOptions = {}): AsyncIterable<SessionEvent> {
    return watchSession(this.#connection, this.id, options);
  }

  /** What is recorded after a number, up to now. */
  async *journal({ after = 0 }: { after?: number } = {}): AsyncGenerator<SessionEvent> {
    const query = { after: String(after) };
    const response = await request(this.#connection, 'GET', `api/sessions/${this.id}/journal`, { query });
    if (response.body === null) return;
    const lines = textLines(response.body);
    for (;;) {
      const { done, value } = await reaching(this.#connection, undefined, () => lines.next());
      if (done) return;
      if (value !== '') yield checkAnswer(sessionEvent, parseJson(value), 'the journal');
    }
  }

  /** What listens in the session now, and its app ports whether anything listens there or not. */
  ports(): Promise<ShownPort[]> {
    return listPorts(this.#connection, this.id);
  }

  /** The same at once, and again at each change, until the session is deleted. */
  watchPorts(options: { signal?: AbortSignal } = {}): AsyncIterable<ShownPort[]> {
    return watchPorts(this.#connection, this.id, options.signal);
  }

  /** For a browser that has no key: works once within 30 s; with `share` as often as one likes until it expires. */
  link(place: PlaceLinkRequest): Promise<PlaceLink> {
    return makeLink(this.#connection, this.id, place);
  }

  terminal(options: TerminalOptions): Promise<Terminal> {
    return openTerminal(this.#connection, this.id, options);
  }

  async #done(event: ActionEvent): Promise<Exclude<Observation, RunObservation>> {
    const observation = await this.act(event);
    if (observation.observation === 'error' || observation.observation === 'run') {
      throw new FairleadError('action-failed', observation.content);
    }
    return observation;
  }
}
