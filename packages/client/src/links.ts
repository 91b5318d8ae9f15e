import { type PlaceLink, placeLink, type PlaceLinkRequest } from '@fairlead/protocol';
import { type Connection, requestJson } from './http.ts';

export function makeLink(
  connection: Connection,
  session: string,
  wanted: PlaceLinkRequest,
): Promise<PlaceLink> {
  return requestJson(connection, placeLink, 'POST', `api/sessions/${session}/links`, { json: wanted });
}
