import type { Session, SessionEvent } from '@fairlead/protocol';
import type { KeptGateway } from './kept-gateway.ts';

export interface Answer {
  status: number;
  text: string;
  actionId: string | null;
  isReplay: boolean;
}

/** Longer than any answer takes when things go on at all. */
const answerLimitMs = 60_000;

/** Requests to a gateway that may be gone: rejects when the answer did not come whole. */
export class GatewayApi {
  readonly #gateway: KeptGateway;

  constructor(gateway: KeptGateway) {
    this.#gateway = gateway;
  }

  async ask(method: string, path: string, request: Partial<RequestInit> = {}): Promise<Answer> {
    const { headers, signal, ...rest } = request;
    const overdue = AbortSignal.timeout(answerLimitMs);
    const response = await fetch(`${this.#gateway.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${this.#gateway.key}`, ...headers },
      signal: signal ? AbortSignal.any([signal, overdue]) : overdue,
      ...rest,
    });
    return {
      status: response.status,
      text: await response.text(),
      actionId: response.headers.get('x-action-id'),
      isReplay: response.headers.get('idempotent-replayed') === 'true',
    };
  }

  async create(driver: 'local' | 'docker'): Promise<Session> {
    return this.#json('POST', '/api/sessions', { body: JSON.stringify({ driver }) });
  }

  async sessions(): Promise<Session[]> {
    return (await this.#json<{ sessions: Session[] }>('GET', '/api/sessions')).sessions;
  }

  session(id: string): Promise<Session> {
    return this.#json('GET', `/api/sessions/${id}`);
  }

  async remove(id: string): Promise<void> {
    const { status, text } = await this.ask('DELETE', `/api/sessions/${id}`);
    if (status !== 204) throw new Error(`The session ${id} cannot be deleted: ${status} ${text}`);
  }

  async journal(id: string): Promise<SessionEvent[]> {
    const { text } = await this.ask('GET', `/api/sessions/${id}/journal`);
    return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as SessionEvent]));
  }

  act(
    sessionId: string,
    body: string,
    headers: Record<string, string>,
    signal?: AbortSignal,
  ): Promise<Answer> {
    const request = { body, headers, ...(signal && { signal }) };
    return this.ask('POST', `/runtimes/${sessionId}/execute_action`, request);
  }

  async #json<Value>(method: string, path: string, request?: Partial<RequestInit>): Promise<Value> {
    const { status, text } = await this.ask(method, path, request);
    if (status >= 300) throw new Error(`${method} ${path} was answered with ${status}: ${text}`);
    return JSON.parse(text) as Value;
  }
}
