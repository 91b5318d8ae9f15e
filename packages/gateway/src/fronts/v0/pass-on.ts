import {
  type ClientRequest,
  type IncomingMessage,
  request as httpRequest,
  type ServerResponse,
} from 'node:http';
import { pipeline } from 'node:stream/promises';
import { type HttpRoute, HttpError } from '@fairlead/http';
import { connectToSandbox } from '../../drivers/sandbox-socket.ts';
import type { SessionContext } from '../context.ts';
import { headersForClient, headersForSandbox, pathInSandbox } from './sandbox-request.ts';

const touchEveryMs = 10_000;

/** A route that the sandbox itself answers: bodies pass both ways no faster than the slower side takes them. */
export function passedOn(summary: string, description: string): HttpRoute<SessionContext> {
  return {
    summary,
    document: () => ({
      answers: {
        200: { description },
        502: { description: 'The sandbox did not answer' },
        503: { description: 'The session does not run; resume it' },
      },
    }),
    async handle({ request, response, gateway, session }) {
      const touch = () => gateway.sessions.touch(session.id);
      touch();
      const { socketPath } = await gateway.sessions.connection(session.id);
      // A large file may take longer than a session may be idle.
      const working = setInterval(touch, touchEveryMs);
      await passOn(request, response, socketPath).finally(() => clearInterval(working));
      touch();
    },
  };
}

async function passOn(request: IncomingMessage, response: ServerResponse, socketPath: string): Promise<void> {
  const upstream = open(request, socketPath);
  response.on('close', () => {
    upstream.destroy();
    upstream.socket?.destroy();
  });
  const answered = answerOf(upstream);
  sendBody(request, upstream);
  const answer = await answered;
  const status = answer.statusCode ?? 502;
  if (status >= 300 && status < 400) {
    // A client would follow it with the owner's key.
    upstream.destroy();
    throw new HttpError(
      502,
      `The sandbox answered with a redirect (${status}), which it never does by itself`,
    );
  }
  response.writeHead(status, headersForClient(answer));
  // What breaks off in the middle must not look like a whole.
  await pipeline(answer, response).catch(() => response.destroy());
}

/** With a connection of its own: one that is kept could be closed under a request that must not be sent twice. */
function open(request: IncomingMessage, socketPath: string): ClientRequest {
  try {
    return httpRequest({
      method: request.method,
      path: pathInSandbox(request.url ?? '/'),
      // Not closed by the sandbox behind its answer, which would be lost when the end of the body meets that.
      headers: { ...headersForSandbox(request), connection: 'keep-alive' },
      createConnection: () => connectToSandbox(socketPath),
    });
  } catch (error) {
    throw unanswered(error as NodeJS.ErrnoException);
  }
}

/** Not `pipeline`: when the sandbox fails, the client's connection is still needed for the answer. */
function sendBody(request: IncomingMessage, upstream: ClientRequest): void {
  if (request.method !== 'POST') return void upstream.end();
  upstream.on('close', () => {
    request.unpipe(upstream);
    request.resume();
  });
  request.pipe(upstream);
}

function answerOf(upstream: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    upstream.on('response', resolve);
    upstream.on('error', (error) => reject(unanswered(error)));
    // Nobody asked for another protocol.
    upstream.on('upgrade', (_answer, socket) => socket.destroy());
    upstream.on('close', () => reject(unanswered(new Error('the connection was closed'))));
  });
}

function unanswered({ code, message }: NodeJS.ErrnoException): HttpError {
  const remedy = 'it may be starting again, so try once more';
  return new HttpError(502, `The sandbox did not answer (${code ?? message}); ${remedy}`);
}
