import { HttpError } from '@fairlead/http';
import type { GatewayCore } from '../fronts/context.ts';
import { toFailure } from '../fronts/failure.ts';
import { GatewayError } from '../gateway-error.ts';
import type { Page } from '../proxy/pages/page.ts';
import type { Place } from '../proxy/places.ts';
import { brokenPage, loginPage, missingPage, noSessionPage, refusalPage, statePage } from './place-pages.ts';

/** What a browser is shown in place of a place. `resumePath` is for those who may let the session go on. */
export async function failurePage(
  gateway: GatewayCore,
  error: unknown,
  place: Place | undefined,
  resumePath: string | undefined,
): Promise<Page> {
  if (place !== undefined && error instanceof GatewayError && error.code === 'wrong-state') {
    const record = await gateway.sessions.get(place.sessionId).catch(() => undefined);
    if (record === undefined) return noSessionPage;
    return statePage(record.state, record.reason, { sessionId: place.sessionId, resumePath });
  }
  // The door refuses with another: whoever gets this was let in, and may know what is there.
  if (place !== undefined && error instanceof GatewayError && error.code === 'not-found') {
    const isThere = await gateway.sessions.get(place.sessionId).then(
      () => true,
      () => false,
    );
    return isThere ? missingPage(error.message) : noSessionPage;
  }
  const failure = toFailure(error);
  if (!(failure instanceof HttpError)) {
    gateway.log(`a visit failed: ${error instanceof Error ? error.message : String(error)}`);
    return brokenPage;
  }
  if (failure.status === 401 && place !== undefined) return loginPage(place);
  if (failure.status === 404) return noSessionPage;
  const waitSeconds = Number(failure.headers['retry-after']);
  return refusalPage(failure.status, failure.message, Number.isNaN(waitSeconds) ? undefined : waitSeconds);
}
