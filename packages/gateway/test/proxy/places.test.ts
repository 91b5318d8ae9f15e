import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseBasePath } from '../../src/proxy/base-path.ts';
import { type Place, placeHost, placePrefix, readHost, readPath } from '../../src/proxy/places.ts';

const id = 'abcdefghij0123456789';
const letters = 'abcdefghijklmnopqrstuvwxyz';

const sessionIds = fc
  .tuple(
    fc.constantFrom(...letters),
    fc.array(fc.constantFrom(...letters, ...'0123456789'), { minLength: 19, maxLength: 19 }),
  )
  .map(([first, rest]) => first + rest.join(''));
const places: fc.Arbitrary<Place> = fc.oneof(
  fc.record({ kind: fc.constant('editor' as const), sessionId: sessionIds }),
  fc.record({
    kind: fc.constant('numbered-app' as const),
    sessionId: sessionIds,
    number: fc.integer({ min: 1, max: 99 }),
  }),
  fc.record({
    kind: fc.constant('app' as const),
    sessionId: sessionIds,
    port: fc.integer({ min: 1, max: 65_535 }),
  }),
);
const basePaths = fc.constantFrom('', '/fairlead', '/a/b.c');
/** Whatever may stand behind the prefix in a target. */
const rests = fc
  .array(fc.constantFrom('/', '//', '\\', '..', '%2f', '?', '#', '@', ':', 'evil.example', 'a', '=', '&'))
  .map((pieces) => pieces.join(''));

describe('a path', () => {
  it('names the editor of a session', () => {
    expect(readPath(`/vscode/${id}/static/a.js?x=1`, '')).toEqual({
      kind: 'place',
      place: { kind: 'editor', sessionId: id },
      prefix: `/vscode/${id}`,
    });
  });

  it('names an app by its number, or by its port', () => {
    expect(readPath(`/apps/${id}-2/`, '')).toMatchObject({
      place: { kind: 'numbered-app', number: 2 },
      prefix: `/apps/${id}-2`,
    });
    expect(readPath(`/apps/${id}-p8080/`, '')).toMatchObject({ place: { kind: 'app', port: 8080 } });
  });

  it('stands behind the base path, and nowhere else', () => {
    expect(readPath(`/fairlead/vscode/${id}/`, '/fairlead')).toMatchObject({
      kind: 'place',
      prefix: `/fairlead/vscode/${id}`,
    });
    for (const target of [`/vscode/${id}/`, `/fairleadx/vscode/${id}/`, `//fairlead/vscode/${id}/`]) {
      expect(readPath(target, '/fairlead')).toEqual({ kind: 'elsewhere' });
    }
  });

  it.each([
    `/vscode/${id}x/`,
    `/vscode/${id.slice(1)}/`,
    `/vscode/${id.toUpperCase()}/`,
    `/vscode/0${id.slice(1)}/`,
    `/vscode/${id}-1/`,
    `/vscode/${id}%2f/`,
    `/vscode/${id};x/`,
    `/vscode//${id}/`,
    `/apps/${id}/`,
    `/apps/${id}-/`,
    `/apps/${id}-0/`,
    `/apps/${id}-01/`,
    `/apps/${id}-100/`,
    `/apps/${id}-p0/`,
    `/apps/${id}-p080/`,
    `/apps/${id}-p65536/`,
    `/apps/${id}-p1e3/`,
    `/apps/${id}-vscode/`,
    `/apps/%61${id.slice(1)}-1/`,
    `http://gateway.example/vscode/${id}/`,
    '/vscode/',
    '*',
    '',
  ])('%j is no place', (target) => {
    expect(readPath(target, '')).toEqual({ kind: 'elsewhere' });
  });

  it('of a place that has no slash gets one, and keeps its query', () => {
    expect(readPath(`/vscode/${id}?tkn=a&folder=/w`, '')).toEqual({
      kind: 'redirect',
      location: `/vscode/${id}/?tkn=a&folder=/w`,
    });
    expect(readPath(`/x/apps/${id}-1`, '/x')).toEqual({ kind: 'redirect', location: `/x/apps/${id}-1/` });
  });

  it('is read back as the place that it was made for', () => {
    fc.assert(
      fc.property(places, basePaths, rests, (place, basePath, rest) => {
        const prefix = placePrefix(place, basePath);
        expect(readPath(`${prefix}/${rest}`, basePath)).toEqual({ kind: 'place', place, prefix });
      }),
    );
  });

  it('of one place is never the beginning of another', () => {
    fc.assert(
      fc.property(places, places, (one, other) => {
        const [a, b] = [placePrefix(one, ''), placePrefix(other, '')];
        fc.pre(a !== b);
        expect(`${b}/`.startsWith(`${a}/`)).toBe(false);
      }),
    );
  });

  it('never redirects to another host, whatever follows the prefix', () => {
    fc.assert(
      fc.property(places, basePaths, rests, (place, basePath, rest) => {
        const reading = readPath(`${placePrefix(place, basePath)}${rest}`, basePath);
        if (reading.kind !== 'redirect') return;
        const url = new URL(reading.location, 'https://gateway.example');
        expect(url.origin).toBe('https://gateway.example');
        expect(url.pathname).toBe(`${placePrefix(place, basePath)}/`);
      }),
    );
  });
});

describe('a host', () => {
  it('is read back as the place that it was made for, with any port and in any case', () => {
    fc.assert(
      fc.property(places, fc.constantFrom('', ':8443'), (place, port) => {
        const host = placeHost(place, 'Example.com');
        expect(readHost(`${host}${port}`, 'example.com')).toEqual(place);
        expect(readHost(`${host.toUpperCase()}${port}`, 'example.com')).toEqual(place);
      }),
    );
  });

  it.each([
    `${id}-vscode.example.org`,
    `${id}-vscode.example.com.evil.example`,
    `${id}-vscodexexample.com`,
    `${id}-vscode.sub.example.com`,
    `x.${id}-vscode.example.com`,
    `${id}-p65536.example.com`,
    `${id}-0.example.com`,
    `${id}.example.com`,
    `a${id}-1.example.com`,
    `${id}-vscode.example.com.`,
    'example.com',
    '',
  ])('%j is no place', (host) => {
    expect(readHost(host, 'example.com')).toBeUndefined();
  });
});

describe('a base path', () => {
  it('has no slash at its end', () => {
    expect(parseBasePath('/fairlead/')).toBe('/fairlead');
    expect(parseBasePath('/')).toBe('');
    expect(parseBasePath('')).toBe('');
  });

  it.each([
    'fairlead',
    '//evil.example',
    '/a//b',
    '/a/../b',
    '/.',
    '/a b',
    '/a?b',
    '/%2f',
    '/a\\b',
    'https://x/',
  ])('%j is refused', (text) => {
    expect(() => parseBasePath(text)).toThrow('is not a path like /fairlead');
  });
});
