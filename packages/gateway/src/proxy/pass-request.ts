import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Dispatcher } from 'undici';
import { type HeaderList, headerPairs, headerValue } from './header-list.ts';
import { bodyOf, dropRest } from './request-body.ts';
import { requestHeaders } from './request-headers.ts';
import { responseHeaders, responseTrailers } from './response-headers.ts';
import { type ProxyRules, targetPath } from './rules.ts';
import type { ProxyTarget } from './target.ts';
import type { ConnectionError } from './target-pools.ts';
import { isFinalStatus, UnreadableAnswer } from './unreadable-answer.ts';

export interface RequestParts {
  dispatcher: Dispatcher;
  request: IncomingMessage;
  response: ServerResponse;
  target: ProxyTarget;
  rules: ProxyRules;
  isFit?: FitCheck | undefined;
}

/** Looks at an answer, with headers as the browser will see them, before anything of it is passed on. */
export type FitCheck = (status: number, headers: HeaderList) => boolean;

/** The answer did not pass its `FitCheck`. */
export class UnfitAnswer extends Error {}

/**
 * One request and its answer. Resolves when the browser has all of it, or is gone; rejects when the server failed before
 * anything of its answer was passed on.
 */
export function passRequest(parts: RequestParts): Promise<void> {
  return new Promise((resolve, reject) => {
    if (parts.response.destroyed) return resolve();
    const exchange = new Exchange(parts, reject);
    parts.response.once('close', () => {
      exchange.leave();
      resolve();
    });
    exchange.begin();
  });
}

type Controller = Dispatcher.DispatchController;

class Exchange implements Dispatcher.DispatchHandler {
  readonly #parts: RequestParts;
  readonly #fail: (error: Error) => void;
  readonly #options: Dispatcher.DispatchOptions;
  #controller: Controller | undefined;
  #mayRepeat: boolean;
  #isAnswered = false;
  #hasData = false;
  #isOver = false;

  constructor(parts: RequestParts, fail: (error: Error) => void) {
    const { request, rules } = parts;
    const { method = 'GET', url = '/', rawHeaders } = request;
    const body = bodyOf(request);
    this.#parts = parts;
    this.#fail = fail;
    this.#options = {
      method,
      path: targetPath(url, rules),
      headers: requestHeaders(rawHeaders, rules),
      body,
    };
    this.#mayRepeat = body === null && (method === 'GET' || method === 'HEAD' || method === 'OPTIONS');
  }

  begin(): void {
    this.#parts.target.touch();
    this.#parts.dispatcher.dispatch(this.#options, this);
  }

  /** The browser has everything, or does not want it any more. */
  leave(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#controller?.abort(new Error('The client has left'));
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller;
    if (this.#isOver) controller.abort(new Error('The client has left'));
  }

  onResponseStarted(): void {
    this.#isAnswered = true;
  }

  onResponseStart(controller: Controller, status: number): void {
    // Early hints name paths of the server's own.
    if (status >= 100 && status < 200) return;
    if (!isFinalStatus(status)) return this.#refuse(controller, new UnreadableAnswer(status));
    const { response, rules, isFit } = this.#parts;
    const rawHeaders = texts(controller.rawHeaders);
    const headers = responseHeaders(rawHeaders, rules);
    if (isFit?.(status, headers) === false) return this.#refuse(controller, new UnfitAnswer());
    const trailer = headerValue(rawHeaders, 'trailer');
    if (trailer !== undefined && this.#takesTrailers(status, rawHeaders)) headers.push('Trailer', trailer);
    response.writeHead(status, headers);
    response.on('drain', () => controller.resume());
    // Whoever waits for the first event wants to know at once that there will be some.
    process.nextTick(() => {
      if (!this.#hasData && !response.writableEnded) response.flushHeaders();
    });
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    const { response, target } = this.#parts;
    this.#hasData = true;
    if (response.destroyed) return;
    if (!response.write(chunk)) controller.pause();
    target.touch();
  }

  onResponseEnd(controller: Controller): void {
    const { request, response, rules } = this.#parts;
    this.#isOver = true;
    dropRest(request);
    const trailers = responseTrailers(texts(controller.rawTrailers), rules);
    if (trailers.length > 0) response.addTrailers(headerPairs(trailers));
    response.end();
  }

  onResponseError(_controller: Controller | null, error: Error): void {
    const { request, response, dispatcher } = this.#parts;
    if (this.#isOver) return;
    // What breaks off in the middle must not look like a whole.
    if (response.headersSent) return void response.destroy();
    // A server may close a kept connection at the very moment when it is used again.
    if (this.#mayRepeat && !this.#isAnswered && isLostReuse(error)) {
      this.#mayRepeat = false;
      return void dispatcher.dispatch(this.#options, this);
    }
    this.#isOver = true;
    dropRest(request);
    this.#fail(error);
  }

  #refuse(controller: Controller, reason: Error): void {
    this.#isOver = true;
    this.#fail(reason);
    controller.abort(reason);
  }

  /** They stand behind a body in chunks. */
  #takesTrailers(status: number, rawHeaders: HeaderList): boolean {
    const { method, httpVersion } = this.#parts.request;
    const hasBody = method !== 'HEAD' && status !== 204 && status !== 304;
    return hasBody && httpVersion === '1.1' && headerValue(rawHeaders, 'transfer-encoding') !== undefined;
  }
}

/** Of a connection that has brought something before. */
function isLostReuse(error: ConnectionError): boolean {
  const isLost = error.code === 'UND_ERR_SOCKET' || error.code === 'ECONNRESET' || error.code === 'EPIPE';
  return isLost && (error.socket?.bytesRead ?? 0) > 0;
}

/** undici hands them over as they came. */
function texts(raw: Controller['rawHeaders']): HeaderList {
  if (!Array.isArray(raw)) return [];
  return raw.map((item: Buffer | string) => (typeof item === 'string' ? item : item.toString('latin1')));
}
