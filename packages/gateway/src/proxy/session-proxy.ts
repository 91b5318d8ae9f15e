import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { keepOpen } from './join-sockets.ts';
import { answerPage } from './pages/answer-page.ts';
import { crowdedPage, diedPage, framingPage, methodPage, unreadablePage } from './pages/failure-pages.ts';
import type { Page } from './pages/page.ts';
import { type FitCheck, passRequest } from './pass-request.ts';
import { passUpgrade } from './pass-upgrade.ts';
import { learnPrefixMode, PrefixModes } from './prefix-modes.ts';
import { hasBody, hasDoubtfulEnd } from './request-body.ts';
import type { PrefixMode, ProxyRules } from './rules.ts';
import { SessionBounds, type ConnectionLimits } from './session-bounds.ts';
import { type ProxyTarget, TargetAbsent } from './target.ts';
import { TargetPools } from './target-pools.ts';
import { isUnreadable } from './unreadable-answer.ts';

export type PlaceRules = Omit<ProxyRules, 'prefixMode'> & {
  /** `learned`: the proxy finds out which of the two this server wants. */
  prefixMode: PrefixMode | 'learned';
  /** Somebody with whom the place is shared. */
  isGuest: boolean;
};

/**
 * Lets browsers through to servers of sessions. Whoever calls it has checked that they may; whatever goes wrong from then
 * on becomes an answer.
 */
export class SessionProxy {
  readonly #pools = new TargetPools();
  readonly #modes = new PrefixModes();
  readonly #bounds: SessionBounds;
  readonly #sockets = new Set<Duplex>();

  constructor(limits: ConnectionLimits) {
    this.#bounds = new SessionBounds(limits);
  }

  async forward(
    request: IncomingMessage,
    response: ServerResponse,
    target: ProxyTarget,
    rules: PlaceRules,
  ): Promise<void> {
    if (hasDoubtfulEnd(request)) return answerPage(request, response, framingPage);
    const leave = this.#bounds.enter(target.sessionId, rules.isGuest);
    if (leave === undefined) return answerPage(request, response, crowdedPage);
    try {
      const dispatcher = this.#pools.of(target);
      await this.#withMode(request, target, rules, (known, isFit) =>
        passRequest({ dispatcher, request, response, target, rules: known, isFit }),
      );
    } catch (error) {
      const page = this.#pageFor(error, target);
      await target.checkSession?.();
      answerPage(request, response, page);
    } finally {
      leave();
    }
  }

  /** For the `upgrade` event of a server, where the client asks for a WebSocket. */
  async forwardUpgrade(
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    target: ProxyTarget,
    rules: PlaceRules,
  ): Promise<void> {
    let made: ServerResponse | undefined;
    const response = () => (made ??= responseOn(request, socket));
    keepOpen(socket);
    if (request.method !== 'GET') {
      return answerPage(request, response().setHeader('allow', 'GET'), methodPage);
    }
    if (hasBody(request)) return answerPage(request, response(), framingPage);
    const leave = this.#bounds.enter(target.sessionId, rules.isGuest);
    if (leave === undefined) return answerPage(request, response(), crowdedPage);
    this.#sockets.add(socket);
    try {
      const prefixMode = rules.prefixMode === 'learned' ? this.#modes.of(target.key) : rules.prefixMode;
      await passUpgrade({ request, socket, head, response }, target, { ...rules, prefixMode });
    } catch (error) {
      // Of an answer that has begun nobody knows how far it came.
      if (made !== undefined || !socket.writable) return void socket.destroy();
      answerPage(request, response(), this.#pageFor(error, target));
    } finally {
      this.#sockets.delete(socket);
      leave();
    }
  }

  /** Ends every connection where it is. */
  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await this.#pools.close();
  }

  #withMode(
    request: IncomingMessage,
    { key }: ProxyTarget,
    rules: PlaceRules,
    pass: (rules: ProxyRules, isFit?: FitCheck) => Promise<void>,
  ): Promise<void> {
    const { prefixMode } = rules;
    if (prefixMode !== 'learned') return pass({ ...rules, prefixMode });
    return learnPrefixMode(this.#modes, key, request, rules, pass);
  }

  #pageFor(error: unknown, { key, absentPage }: ProxyTarget): Page {
    if (isUnreadable(error)) return unreadablePage;
    if (!(error instanceof TargetAbsent)) return diedPage;
    // What is started in its place may be another server.
    this.#modes.forget(key);
    return absentPage;
  }
}

/** A socket that asked for an upgrade has nobody to answer on it any more. */
export function responseOn(request: IncomingMessage, socket: Duplex): ServerResponse {
  const response = new ServerResponse(request);
  response.assignSocket(socket as Socket);
  response.shouldKeepAlive = false;
  socket.on('drain', () => response.emit('drain'));
  response.on('finish', () => (socket as Socket).destroySoon());
  return response;
}
