import { FairleadError } from './fairlead-error.ts';

export interface Connection {
  /** Ends with a slash, so that paths can be put behind it. */
  readonly base: URL;
  readonly key: string | undefined;
  /** How long an action is sent again, and a watch connected again, before they are given up. */
  readonly retryForMs: number;
}

export interface RequestOptions {
  headers?: Record<string, string>;
  /** Sent as JSON. */
  json?: unknown;
  body?: RequestInit['body'];
  query?: Record<string, string> | (readonly [string, string])[];
  signal?: AbortSignal | undefined;
}

/** Any answer of success; every other is a `FairleadError`. */
export async function request(
  connection: Connection,
  method: string,
  path: string,
  options: RequestOptions = {},
): Promise<Response> {
  const { json, signal } = options;
  const body = json === undefined ? options.body : JSON.stringify(json);
  const response = await reaching(connection, signal, () =>
    fetch(addressOf(connection, path, options.query), {
      method,
      headers: {
        ...(connection.key !== undefined && { authorization: `Bearer ${connection.key}` }),
        ...(json !== undefined && { 'content-type': 'application/json' }),
        ...options.headers,
      },
      ...(body !== undefined && { body }),
      ...(body instanceof ReadableStream && { duplex: 'half' }),
      ...(signal && { signal }),
    }),
  );
  if (response.ok) return response;
  const text = await reaching(connection, signal, () => response.text());
  throw failureOf(response, text, connection);
}

async function requestText(
  connection: Connection,
  method: string,
  path: string,
  options: RequestOptions = {},
): Promise<string> {
  const response = await request(connection, method, path, options);
  return reaching(connection, options.signal, () => response.text());
}

/** What this needs of a zod schema. */
export interface Schema<Value> {
  safeParse(
    value: unknown,
  ):
    | { success: true; data: Value }
    | { success: false; error: { issues: { path: PropertyKey[]; message: string }[] } };
}

export async function requestJson<Value>(
  connection: Connection,
  schema: Schema<Value>,
  method: string,
  path: string,
  options: RequestOptions = {},
): Promise<Value> {
  const text = await requestText(connection, method, path, options);
  return checkAnswer(schema, parseJson(text), `${method} ${path}`);
}

/** What was sent, as its schema has it. */
export function checkAnswer<Value>(schema: Schema<Value>, value: unknown, what: string): Value {
  const checked = schema.safeParse(value);
  if (checked.success) return checked.data;
  const problem = checked.error.issues[0];
  const where = problem === undefined ? '' : ` (${[...problem.path, problem.message].join(': ')})`;
  throw new FairleadError(
    'bad-answer',
    `The answer to ${what} is not one of a Fairlead gateway that this client knows${where}. Check the address.`,
  );
}

/** Runs what talks to the gateway: a broken connection becomes an error that says which gateway. */
export async function reaching<Value>(
  { base }: Connection,
  signal: AbortSignal | undefined,
  talk: () => Promise<Value>,
): Promise<Value> {
  try {
    return await talk();
  } catch (error) {
    if (error instanceof FairleadError) throw error;
    signal?.throwIfAborted();
    throw new FairleadError(
      'unreachable',
      `Cannot reach the gateway at ${base.origin}: ${reasonOf(error)}`,
      null,
      error,
    );
  }
}

function addressOf({ base }: Connection, path: string, query: RequestOptions['query'] = []): URL {
  const url = new URL(path, base);
  for (const [name, value] of Array.isArray(query) ? query : Object.entries(query)) {
    url.searchParams.append(name, value);
  }
  return url;
}

/** `fetch` says only that it failed; its cause knows why. */
function reasonOf(error: unknown): string {
  const { cause, message } = error as Error;
  if (!(cause instanceof Error)) return message;
  const { code } = cause as NodeJS.ErrnoException;
  if (code === 'ECONNREFUSED') return 'nothing listens there';
  return cause.message || code || message;
}

function failureOf({ status, statusText }: Response, text: string, { base }: Connection): FairleadError {
  const body = parseJson(text) as { detail?: unknown; errors?: unknown } | undefined;
  if (typeof body?.detail === 'string') {
    const detail = typeof body.errors === 'string' ? `${body.detail}: ${body.errors}` : body.detail;
    return FairleadError.fromStatus(status, detail);
  }
  // Not the gateway's own words: something in front of it answers in its place.
  const code = status >= 502 && status <= 504 ? 'unreachable' : FairleadError.fromStatus(status, '').code;
  return new FairleadError(code, `${base.origin} answered ${status} ${statusText}`.trimEnd(), status);
}

/** Undefined for what is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
