import type { IncomingMessage, ServerResponse } from 'node:http';
import { answerError, answerJson, HttpError, readText } from '@fairlead/http';
import { requestFrame } from '@fairlead/protocol';
import { describeIssues } from '@fairlead/protocol/describe-issues';
import { z } from 'zod';
import { answer, type Handle } from './answer.ts';
import { checkSite, type Credentials, headerCredentials } from './credentials.ts';
import type { SubmittedByToken } from './operations.ts';
import type { BridgeRun } from './runs.ts';

export interface HttpParts {
  authorise(credentials: Credentials): BridgeRun | undefined;
  handle: Handle;
  /** What is being answered, and for which run. */
  asking: Map<AbortController, string>;
  /** An answer to a question or an operation of this run. */
  submit(runId: string, resumeToken: string, answer: unknown): SubmittedByToken;
  /** The run's program says that it has ended. */
  ended(runId: string, exitCode: number | null): void;
}

export const bodyLimitBytes = 8 * 1024 * 1024;

/** One HTTP request, from its checks to its answer; nothing of the body is read before the token was seen. */
export async function answerHttp(
  request: IncomingMessage,
  response: ServerResponse,
  parts: HttpParts,
): Promise<void> {
  try {
    checkSite(request);
    const credentials = headerCredentials(request);
    const run = credentials === undefined ? undefined : parts.authorise(credentials);
    if (run === undefined) throw new HttpError(401, 'Unauthorized');
    const path = (request.url ?? '/').split('?')[0]!;
    const route = routes.get(path);
    if (route === undefined) throw new HttpError(404, 'Not Found');
    if (request.method !== 'POST') throw new HttpError(405, 'Method Not Allowed', {}, { allow: 'POST' });
    const body = json(await readText(request, bodyLimitBytes));
    // The run may have ended before all of the body was there.
    if (parts.authorise(credentials!) === undefined) throw new HttpError(401, 'Unauthorized');
    await route(body, run, request, response, parts);
  } catch (error) {
    if (response.headersSent || request.socket.destroyed) return;
    const { status, message, headers } =
      error instanceof HttpError ? error : new HttpError(500, 'The bridge failed.');
    // Programs of the first version look for `error`.
    answerError(response, new HttpError(status, message, { error: message }, headers));
  }
}

type Route = (
  body: unknown,
  run: BridgeRun,
  request: IncomingMessage,
  response: ServerResponse,
  parts: HttpParts,
) => Promise<void> | void;

const routes = new Map<string, Route>([
  ['/request', ask],
  ['/submit', submit],
  ['/end', end],
]);

async function ask(...[body, run, , response, { handle, asking }]: Parameters<Route>): Promise<void> {
  const frame = checked(requestFrame.extend({ id: requestFrame.shape.id.default('') }), body);
  const controller = new AbortController();
  response.on('close', () => controller.abort());
  asking.set(controller, run.id);
  const reply = await answer(handle, frame, {
    run,
    // What it shows stays from one request to the next, and closes with the run.
    callerId: run.id,
    signal: controller.signal,
    onPart: () => undefined,
  });
  asking.delete(controller);
  answerJson(response, reply);
}

const submission = z.object({
  resumeToken: z.string({ error: 'Missing resumeToken' }),
  result: z.unknown().optional(),
  sessionId: z.string().optional(),
});

function submit(...[body, run, , response, parts]: Parameters<Route>): void {
  const { resumeToken, result, sessionId } = checked(submission, body);
  if (sessionId !== undefined && sessionId !== run.id) throw new HttpError(401, 'Unauthorized session');
  const { submitted, operationId } = parts.submit(run.id, resumeToken, result);
  switch (submitted) {
    case 'accepted':
      return answerJson(response, { ok: true, operationId });
    case 'unknown':
      throw new HttpError(404, 'Unknown resumeToken');
    case 'answered-already':
      throw new HttpError(409, 'Operation already completed: this question has its answer');
    case 'does-not-fit':
      throw new HttpError(400, 'result: does not fit the kind of question');
  }
}

function end(...[body, run, , response, parts]: Parameters<Route>): void {
  const { exitCode } = checked(z.object({ exitCode: z.int().nullable().default(null) }), body);
  answerJson(response, { ok: true });
  response.on('finish', () => parts.ended(run.id, exitCode));
}

function checked<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const value = schema.safeParse(body);
  if (!value.success) throw new HttpError(400, describeIssues(value.error));
  return value.data;
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new HttpError(400, 'Invalid JSON');
  }
}
