import {
  type CreatedSession,
  createdSession,
  type CreateSessionInput,
  type Session,
  session,
  type SessionState,
} from '@fairlead/protocol';
import { sessionList } from './answers.ts';
import { FairleadError } from './fairlead-error.ts';
import { checkAnswer, type Connection, parseJson, reaching, request, requestJson } from './http.ts';
import { serverSentEvents } from './server-sent-events.ts';

export interface CreateOptions {
  /** What is being done meanwhile, for a person to read. */
  onProgress?: ((text: string) => void) | undefined;
  signal?: AbortSignal | undefined;
}

/** The sessions of the key's owner. */
export class Sessions {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** The only answer that has the session's own key. */
  async create(
    input: CreateSessionInput = {},
    { onProgress, signal }: CreateOptions = {},
  ): Promise<CreatedSession> {
    const headers = { accept: 'text/event-stream' };
    const response = await request(this.#connection, 'POST', 'api/sessions', {
      json: input,
      headers,
      signal,
    });
    if (response.body === null) throw endedEarly();
    const events = serverSentEvents(response.body);
    for (;;) {
      const { done, value } = await reaching(this.#connection, signal, () => events.next());
      if (done) throw endedEarly();
      const data = parseJson(value.data) as {
        text?: string;
        session?: unknown;
        status?: number;
        detail?: string;
      };
      if (value.event === 'progress') onProgress?.(String(data?.text));
      if (value.event === 'created') return checkAnswer(createdSession, data?.session, 'POST /api/sessions');
      if (value.event === 'error') throw FairleadError.fromStatus(data?.status ?? 500, String(data?.detail));
    }
  }

  /** Newest first. */
  list(filter: { states?: SessionState[]; labels?: Record<string, string> } = {}): Promise<Session[]> {
    const query = [
      ...(filter.states ?? []).map((state) => ['state', state] as const),
      ...Object.entries(filter.labels ?? {}).map(([name, value]) => ['label', `${name}=${value}`] as const),
    ];
    return requestJson(this.#connection, sessionList, 'GET', 'api/sessions', { query });
  }

  get(id: string): Promise<Session> {
    return requestJson(this.#connection, session, 'GET', `api/sessions/${id}`);
  }

  pause(id: string): Promise<Session> {
    return this.#post(id, 'pause');
  }

  /** From paused, stopped or failed. */
  resume(id: string): Promise<Session> {
    return this.#post(id, 'resume');
  }

  /** Ends the runtime and keeps the workspace. */
  stop(id: string): Promise<Session> {
    return this.#post(id, 'stop');
  }

  /** Its idle time starts anew; with seconds it does not end of age before they are over. */
  extend(id: string, seconds?: number): Promise<Session> {
    return this.#post(id, 'extend', seconds === undefined ? {} : { seconds });
  }

  /** With its workspace, unless that is a folder which was given. */
  async delete(id: string): Promise<void> {
    const response = await request(this.#connection, 'DELETE', `api/sessions/${id}`);
    await response.body?.cancel();
  }

  #post(id: string, verb: string, json: unknown = {}): Promise<Session> {
    return requestJson(this.#connection, session, 'POST', `api/sessions/${id}/${verb}`, { json });
  }
}

function endedEarly(): FairleadError {
  return new FairleadError(
    'unreachable',
    'The gateway ended before it said whether the session was created; list the sessions to find out',
  );
}
