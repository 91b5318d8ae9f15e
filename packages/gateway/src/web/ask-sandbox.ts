import type { Dispatcher } from 'undici';
import type { z } from 'zod';
import { GatewayError } from '../gateway-error.ts';
import type { SandboxConnection } from '../sessions/sessions-api.ts';

const timeoutMs = 10_000;
const answerLimitBytes = 512 * 1024;

/** One of the small questions that the sandbox server answers at once. What answers may be a program that took its place. */
export async function askSandbox<Value>(
  { http }: SandboxConnection,
  method: 'GET' | 'POST',
  path: string,
  schema: z.ZodType<Value>,
): Promise<Value> {
  try {
    const answer = await http.request({ method, path, signal: AbortSignal.timeout(timeoutMs) });
    const text = await readText(answer.body);
    if (answer.statusCode === 200) return schema.parse(JSON.parse(text));
    throw new Error(`it answered ${answer.statusCode}`);
  } catch (error) {
    throw new GatewayError(
      'runtime-failed',
      `The sandbox did not answer ${path}: ${reasonOf(error)}; try once more`,
    );
  }
}

async function readText(body: Dispatcher.ResponseData['body']): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of body as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > answerLimitBytes) throw new Error('its answer is too long');
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

/** Not what a schema says of it, which has many lines. */
function reasonOf(error: unknown): string {
  const { name, message } = error as Error;
  return name === 'ZodError' || name === 'SyntaxError' ? 'its answer is none that is known' : message;
}
