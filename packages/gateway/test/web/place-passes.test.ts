import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Place } from '../../src/proxy/places.ts';
import { PlacePasses } from '../../src/web/place-passes.ts';

const secret = Buffer.alloc(32, 7);
const place: Place = { kind: 'editor', sessionId: 's0000000000000000000' };

test.each(['{}', '{"s":"s0000000000000000000","p":"vscode","e":9e15}', '[]', 'null'])(
  'a pass that another version has signed, %s, is worth nothing',
  (content) => {
    const body = Buffer.from(content).toString('base64url');
    const signature = createHmac('sha256', secret).update(`place:cookie:${body}`).digest('base64url');
    const passes = new PlacePasses(secret);
    expect(passes.read(`${body}.${signature}`, { purpose: 'cookie', place })).toBeUndefined();
  },
);
