import { answerJson, check, type HttpRoute, HttpError, readJson } from '@fairlead/http';
import { placeLink, type PlaceLinkRequest, placeLinkRequest } from '@fairlead/protocol';
import type { Place } from '../../proxy/places.ts';
import type { SessionRecord } from '../../store/store.ts';
import { shareParameter, ticketParameter } from '../../web/handover.ts';
import { withParameter } from '../../web/local-target.ts';
import { grantOf } from '../../web/place-door.ts';
import { type PlaceGrant, ticketSeconds } from '../../web/place-passes.ts';
import type { SessionContext } from '../context.ts';
import { isOwner, ownersOnly } from '../session-access.ts';

const bodyLimitBytes = 64 * 1024;

export const route: HttpRoute<SessionContext> = {
  summary: "A link to the session's editor or one of its apps, for a browser that has no key",
  document: () => ({
    body: { contentType: 'application/json', schema: placeLinkRequest },
    answers: {
      201: {
        description: 'Works once and for 30 seconds; with `share` as often as one likes until it expires',
        schema: placeLink,
      },
      403: { description: 'A key of the session does not share' },
      422: { description: 'There is no such app, or the editor is to be shared' },
    },
  }),
  async handle({ request, response, gateway, session, identity }) {
    const wanted = check(placeLinkRequest, await readJson(request, bodyLimitBytes));
    if (wanted.share !== undefined && !isOwner(identity)) throw ownersOnly();
    const { urls, passes } = gateway;
    const place = placeOf(session, wanted);
    const grant = grantOf(identity, place);
    const url = urls.placeUrl(place, request);
    const [parameter, pass] =
      wanted.share === undefined
        ? [ticketParameter, passes.issue('ticket', grant, ticketSeconds)]
        : [shareParameter, passes.issue('share', sharedGrant(grant), wanted.share.expiresInSeconds)];
    const expiresAt = new Date(pass.expiresAtMs).toISOString();
    answerJson(response, { url: withParameter(url, parameter, pass.text), expiresAt }, 201);
  },
};

/** Nothing of what the owner may; it outlives the login it was made in, and ends with the owner's key. */
function sharedGrant(grant: PlaceGrant): PlaceGrant {
  return { ...grant, isOwner: false, isShared: true, loginHash: null };
}

function placeOf({ id: sessionId, appPorts }: SessionRecord, { number, port }: PlaceLinkRequest): Place {
  if (port !== undefined) return { kind: 'app', sessionId, port };
  if (number === undefined) return { kind: 'editor', sessionId };
  if (number <= appPorts.length) return { kind: 'numbered-app', sessionId, number };
  const count = appPorts.length;
  throw new HttpError(422, `The session has no app ${number}; it has ${count}`);
}
