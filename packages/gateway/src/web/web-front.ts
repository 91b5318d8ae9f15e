import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { HttpError } from '@fairlead/http';
import type { Identifier } from '../auth/identify.ts';
import type { GatewayCore } from '../fronts/context.ts';
import { GatewayError } from '../gateway-error.ts';
import { answerPage } from '../proxy/pages/answer-page.ts';
import { responseOn, SessionProxy } from '../proxy/session-proxy.ts';
import { type Place, placeLabel } from '../proxy/places.ts';
import type { Store } from '../store/store.ts';
import { EditorVisits } from './editor-visits.ts';
import { editorEntrance } from './editor-entrance.ts';
import { failurePage } from './failure-page.ts';
import {
  type Errand,
  editorErrandUrl,
  gatewayErrandUrl,
  readErrand,
  sendBack,
  shareParameter,
  ticketParameter,
} from './handover.ts';
import { localTarget, parameterOf, withoutParameter, withParameter } from './local-target.ts';
import { OpenVisits } from './open-visits.ts';
import { answerState, ownPath, redirect } from './own-answers.ts';
import { placeCookie } from './place-cookies.ts';
import { PlaceDoor } from './place-door.ts';
import { editorPage, loginPage, usedLinkPage } from './place-pages.ts';
import { type Admission, ticketSeconds } from './place-passes.ts';
import { placeRules } from './place-rules.ts';
import { checkFraming, checkPlaceCookieUse, checkPlaceSite, isNavigation } from './place-site.ts';
import { readWebRequest } from './read-request.ts';
import type { SessionPlaces } from './session-places.ts';

const limits = { connectionsPerSession: 256, guestConnectionsPerSession: 64 };

export interface WebFrontParts {
  gateway: GatewayCore;
  identifier: Identifier;
  store: Store;
}

/** One request to a place, as far as it is read. */
interface Visit {
  request: IncomingMessage;
  place: Place;
  prefix: string;
  /** Path and query behind the prefix. */
  path: string;
}

/** Lets browsers in to the editors and apps of sessions. Everything of a place passes here, and is checked here. */
export class WebFront {
  readonly #gateway: GatewayCore;
  readonly #places: SessionPlaces;
  readonly #door: PlaceDoor;
  readonly #editors: EditorVisits;
  readonly #proxy = new SessionProxy(limits);
  readonly #open: OpenVisits;

  constructor(parts: WebFrontParts) {
    this.#gateway = parts.gateway;
    this.#places = parts.gateway.places;
    this.#door = new PlaceDoor(parts);
    this.#editors = new EditorVisits(parts.gateway.places);
    this.#open = new OpenVisits(async ({ request, place }) => {
      if (place.kind === 'editor') this.#editors.keep(place.sessionId);
      return this.#door.mayStay(request, place);
    });
  }

  handles(request: IncomingMessage): boolean {
    return readWebRequest(this.#gateway.urls, request) !== undefined;
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { urls, gatekeeper } = this.#gateway;
    const wanted = readWebRequest(urls, request);
    if (wanted === undefined) return;
    try {
      checkPlaceSite(urls, gatekeeper, request);
      switch (wanted.kind) {
        case 'place':
          return await this.#serveVisit({ request, ...wanted }, response);
        case 'slash':
          return redirect(response, wanted.location, undefined, 308);
        case 'elsewhere':
          return await this.#serveElsewhere(request, response, wanted.place, wanted.path);
        case 'alias':
          return await this.#serveAlias(request, response, wanted.place);
      }
    } catch (error) {
      const place = wanted.kind === 'slash' ? undefined : wanted.place;
      answerPage(request, response, await failurePage(this.#gateway, error, place, undefined));
    }
  }

  async upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const { urls, gatekeeper } = this.#gateway;
    socket.on('error', () => undefined);
    const wanted = readWebRequest(urls, request);
    let passing: Promise<void> | undefined;
    try {
      if (wanted?.kind !== 'place') throw new HttpError(404, 'There is no WebSocket here');
      const { place } = wanted;
      checkPlaceSite(urls, gatekeeper, request);
      const admission = await this.#door.admit(request, place);
      if (admission.isByCookie) checkPlaceCookieUse(request, true);
      if (isHandedIn(wanted.path)) throw new HttpError(400, 'A link with a ticket cannot be a WebSocket');
      if (wanted.path.startsWith(ownPath)) throw new HttpError(404, 'There is no WebSocket here');
      const rules = await placeRules(this.#gateway, request, place, wanted.prefix, admission);
      const target = await this.#places.target(place);
      if (socket.destroyed) return;
      const connect = async () => {
        if (place.kind === 'editor') {
          await this.#editors.awaitRunning(place.sessionId, () => socket.destroyed);
        }
        return target.connect();
      };
      passing = this.#proxy.forwardUpgrade(request, socket, head, { ...target, connect }, rules);
      await this.#open.during({ request, place, end: () => socket.destroy() }, passing);
    } catch (error) {
      if (passing !== undefined || !socket.writable) return void socket.destroy();
      const place = wanted?.kind === 'place' ? wanted.place : undefined;
      answerPage(
        request,
        responseOn(request, socket),
        await failurePage(this.#gateway, error, place, undefined),
      );
    }
  }

  /** Ends every connection where it is. */
  async close(): Promise<void> {
    this.#open.close();
    await this.#proxy.close();
  }

  async #serveVisit(visit: Visit, response: ServerResponse): Promise<void> {
    const { request, place, prefix, path } = visit;
    if (isHandedIn(path)) return this.#takeHandedIn(visit, response);
    const errandUrl = this.#errandUrl(visit);
    // Who has not been here before has done nothing wrong.
    if (errandUrl !== undefined && !this.#door.hasProof(request, place)) return redirect(response, errandUrl);
    const admission = await this.#admitted(request, place);
    if (admission === undefined) {
      return errandUrl === undefined
        ? answerPage(request, response, loginPage(errandOf(place, path)?.place ?? place))
        : redirect(response, errandUrl);
    }
    if (admission.isByCookie) checkPlaceCookieUse(request, false);
    if (place.kind === 'editor') checkFraming(this.#gateway.urls, request);
    try {
      if (path.startsWith(ownPath)) return await this.#serveOwn(visit, response, admission);
      if (place.kind === 'editor' && isNavigation(request)) {
        const state = await this.#editors.visit(place.sessionId);
        const page = editorPage(state, `${prefix}${ownPath}editor`);
        if (page !== undefined) return answerPage(request, response, page);
        const entrance = editorEntrance(this.#gateway.urls, place, path, request, state);
        if (entrance !== undefined) return redirect(response, `${prefix}${entrance.target}`, entrance.cookie);
      }
      const rules = await placeRules(this.#gateway, request, place, prefix, admission);
      const target = await this.#places.target(place);
      const passing = this.#proxy.forward(request, response, target, rules);
      await this.#open.during({ request, place, end: () => response.destroy() }, passing);
    } catch (error) {
      const resumePath = admission.grant.isOwner ? `${prefix}${ownPath}resume` : undefined;
      answerPage(request, response, await failurePage(this.#gateway, error, place, resumePath));
    }
  }

  /** What the gateway itself answers below a place. */
  async #serveOwn(visit: Visit, response: ServerResponse, admission: Admission): Promise<void> {
    const { request, place, prefix, path } = visit;
    const errand = errandOf(place, path);
    const wanted = `${request.method} ${path.split('?', 1)[0]!.slice(ownPath.length)}`;
    if (wanted === 'GET enter' && errand !== undefined) {
      return sendBack(response, request, this.#gateway, errand, admission);
    }
    if (wanted === 'GET editor' && place.kind === 'editor') {
      return answerState(response, await this.#editors.visit(place.sessionId));
    }
    if (wanted === 'POST resume') {
      if (!admission.grant.isOwner)
        throw new HttpError(403, 'Only the owner of the session can let it go on');
      await this.#gateway.sessions.resume(place.sessionId);
      return redirect(response, `${prefix}/`);
    }
    // Where somebody is who loads the page again that the form has led to.
    if (wanted === 'GET resume') return redirect(response, `${prefix}/`);
    throw new GatewayError(
      'not-found',
      `What begins with ${ownPath} is the gateway's own, and has no such page`,
    );
  }

  /** A ticket or a shared link: exchanged for a cookie, and out of the address before anybody sees it. */
  async #takeHandedIn(visit: Visit, response: ServerResponse): Promise<void> {
    const { request, place, prefix, path } = visit;
    const { urls, passes } = this.#gateway;
    // Whoever only looks at a link must not use it up.
    if (request.method === 'HEAD') return void response.writeHead(200, { 'cache-control': 'no-store' }).end();
    if (request.method !== 'GET') throw new HttpError(400, 'A link with a ticket is opened with GET');
    const ticket = parameterOf(path, ticketParameter);
    const share = parameterOf(path, shareParameter);
    const target = localTarget(withoutParameter(withoutParameter(path, ticketParameter), shareParameter));
    const clean = `${prefix}${target}`;
    // Who may see more than what is shared already keeps it.
    if (ticket === null && (await this.#door.mayEnter(request, place))) return redirect(response, clean);
    const purpose = ticket === null ? 'share' : 'ticket';
    try {
      const admission = await this.#door.redeem(request, place, purpose, ticket ?? share ?? '');
      redirect(response, clean, placeCookie(urls, place, passes.cookieFor(admission)));
    } catch (error) {
      if (!(error instanceof HttpError && error.status === 401)) throw error;
      if (await this.#door.mayEnter(request, place)) return redirect(response, clean);
      answerPage(request, response, usedLinkPage(place, purpose));
    }
  }

  /** Where the browser may be known, if it is a person who goes to a page. */
  #errandUrl({ request, place, path }: Visit): string | undefined {
    const { urls } = this.#gateway;
    const canAsk = urls.domain !== undefined || place.kind !== 'editor';
    if (!canAsk || path.startsWith(ownPath) || !isNavigation(request)) return undefined;
    return gatewayErrandUrl(urls, request, { place, target: localTarget(path) });
  }

  /** Undefined for those who have nothing to show; refuses others who may not come. */
  async #admitted(request: IncomingMessage, place: Place): Promise<Admission | undefined> {
    try {
      return await this.#door.admit(request, place);
    } catch (error) {
      if (error instanceof HttpError && error.status === 401) return undefined;
      throw error;
    }
  }

  /** The gateway's own host, where places have theirs. */
  async #serveElsewhere(
    request: IncomingMessage,
    response: ServerResponse,
    place: Place,
    path: string,
  ): Promise<void> {
    const { urls } = this.#gateway;
    const errand = errandOf(place, path);
    if (errand === undefined) {
      return redirect(response, urls.placeOrigin(place, request) + localTarget(path), undefined, 307);
    }
    if (request.method !== 'GET') throw new HttpError(405, 'Method Not Allowed');
    const admission = await this.#admitted(request, place);
    if (admission !== undefined) return sendBack(response, request, this.#gateway, errand, admission);
    this.#sendOn(request, response, errand);
  }

  #sendOn(request: IncomingMessage, response: ServerResponse, errand: Errand): void {
    if (errand.place.kind === 'editor') return answerPage(request, response, loginPage(errand.place));
    redirect(response, editorErrandUrl(this.#gateway.urls, request, errand));
  }

  async #serveAlias(request: IncomingMessage, response: ServerResponse, place: Place): Promise<void> {
    const { urls, passes } = this.#gateway;
    const token = parameterOf(request.url ?? '', 'tkn');
    const url = urls.placeUrl(place, request);
    if (token === null || request.method !== 'GET') return redirect(response, url);
    const editor: Place = { kind: 'editor', sessionId: place.sessionId };
    const admission = await this.#door.redeem(request, editor, 'editor-token', token).catch(unlessRefused);
    if (admission === undefined) return answerPage(request, response, usedLinkPage(place, 'editor-token'));
    const { grant } = admission;
    const ticket = passes.issue('ticket', { ...grant, place: placeLabel(place) }, ticketSeconds).text;
    redirect(response, withParameter(url, ticketParameter, ticket));
  }
}

/** On the editor's path, for those who want to go to a place of the session. */
function errandOf(place: Place, path: string): Errand | undefined {
  return place.kind === 'editor' ? readErrand(place.sessionId, path) : undefined;
}

/** Below a runtime's address, a proof that is not valid is answered with 403. */
function unlessRefused(error: unknown): undefined {
  if (!(error instanceof HttpError && (error.status === 401 || error.status === 403))) throw error;
}

function isHandedIn(path: string): boolean {
  return parameterOf(path, ticketParameter) !== null || parameterOf(path, shareParameter) !== null;
}
