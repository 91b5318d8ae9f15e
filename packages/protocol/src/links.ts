import { z } from 'zod';

/** Links that let a browser in to a place of a session. */

const monthSeconds = 30 * 24 * 60 * 60;

export const placeLinkRequest = z
  .strictObject({
    place: z.enum(['editor', 'app']),
    /** Of an app: one of the session's app ports, counted from 1. */
    number: z.int().min(1).max(99).optional(),
    /** Of an app: any port that a process of the session listens on. */
    port: z.int().min(1).max(65_535).optional(),
    /** For others, as often as they like, until then. Without it the link works once, at once. */
    share: z.strictObject({ expiresInSeconds: z.int().min(1).max(monthSeconds) }).optional(),
  })
  .refine(({ place, number, port }) => countOf(number, port) === (place === 'app' ? 1 : 0), {
    error: 'an app is named by "number" or by "port", and the editor by neither',
    path: ['place'],
  })
  .refine(({ place, share }) => place === 'app' || share === undefined, {
    error: 'an editor has a terminal, so it is not shared by link: share an app, or give the person a key',
    path: ['share'],
  });
export type PlaceLinkRequest = z.infer<typeof placeLinkRequest>;

export const placeLink = z.object({ url: z.string(), expiresAt: z.iso.datetime() });
export type PlaceLink = z.infer<typeof placeLink>;

function countOf(...values: unknown[]): number {
  return values.filter((value) => value !== undefined).length;
}
