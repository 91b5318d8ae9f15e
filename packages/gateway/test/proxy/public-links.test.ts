import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { publicLink, publicRefresh, publicScope, toldReferer } from '../../src/proxy/public-links.ts';
import { type ProxyRules, targetPath } from '../../src/proxy/rules.ts';

const prefix = '/apps/abcdefghijklmnopqrst-1';
const rules: ProxyRules = {
  prefix,
  prefixMode: 'stripped',
  publicHost: 'gateway.example:8443',
  publicProtocol: 'https',
  host: 'localhost:3000',
  clientAddress: '192.0.2.7',
};
const kept: ProxyRules = { ...rules, prefixMode: 'kept' };
const ownHost: ProxyRules = { ...rules, prefix: '', publicHost: 'abcdefghijklmnopqrst-1.example.com' };

describe('a link that a server gives', () => {
  it.each([
    ['/login?next=/', `${prefix}/login?next=/`],
    ['/', `${prefix}/`],
    // A server that was told of its prefix.
    [`${prefix}/login`, `${prefix}/login`],
    [`${prefix}?x`, `${prefix}?x`],
    // The place next door.
    [`${prefix}0/`, `${prefix}${prefix}0/`],
    ['http://localhost:3000/a#b', `https://gateway.example:8443${prefix}/a#b`],
    ['http://LOCALHOST:3000', `https://gateway.example:8443${prefix}/`],
    ['http://127.0.0.1:3000/a', `https://gateway.example:8443${prefix}/a`],
    ['http://[::1]:3000/a', `https://gateway.example:8443${prefix}/a`],
    ['http://0.0.0.0:3000/a', `https://gateway.example:8443${prefix}/a`],
    ['//localhost:3000/a', `https://gateway.example:8443${prefix}/a`],
    ['http://gateway.example:8443/a', `https://gateway.example:8443${prefix}/a`],
    [`https://gateway.example:8443${prefix}/a`, `https://gateway.example:8443${prefix}/a`],
    ['http://localhost:3000?x', `https://gateway.example:8443${prefix}/?x`],
  ])('%j leads to its place', (link, expected) => {
    expect(publicLink(link, rules)).toBe(expected);
  });

  it.each([
    'https://accounts.example/oauth?redirect=/',
    '//cdn.example/x.js',
    'http://localhost:3001/other',
    'http://localhost:3000.evil.example/',
    'page.html',
    './',
    '../up',
    '?page=2',
    '#top',
    'mailto:a@example.com',
    '',
  ])('%j stays what it is', (link) => {
    expect(publicLink(link, rules)).toBe(link);
  });

  it('is not changed for a server that knows its prefix, save for its host', () => {
    expect(publicLink('/elsewhere', kept)).toBe('/elsewhere');
    expect(publicLink(`http://localhost:3000${prefix}/a`, kept)).toBe(
      `https://gateway.example:8443${prefix}/a`,
    );
  });

  it('has no prefix where the server has a host of its own, and two slashes do not make a host of a path', () => {
    expect(publicLink('/a', ownHost)).toBe('/a');
    expect(publicLink('http://localhost:3000//evil.example', ownHost)).toBe(
      'https://abcdefghijklmnopqrst-1.example.com//evil.example',
    );
  });

  it('comes out the same when it is rewritten twice', () => {
    const pieces = fc.array(
      fc.constantFrom(
        '/',
        '//',
        '\\',
        'http:',
        'localhost:3000',
        'gateway.example:8443',
        prefix,
        'a',
        '?',
        '#',
        '..',
      ),
    );
    fc.assert(
      fc.property(pieces, fc.constantFrom(rules, kept, ownHost), (parts, used) => {
        const once = publicLink(parts.join(''), used);
        expect(publicLink(once, used)).toBe(once);
      }),
    );
  });
});

describe('a Refresh header', () => {
  it.each([
    ['5; url=/next', `5; url=${prefix}/next`],
    ['0;URL="/next"', `0;URL="${prefix}/next"`],
    ["3, url='http://localhost:3000/'", `3, url='https://gateway.example:8443${prefix}/'`],
    ['5', '5'],
    ['0; url=https://elsewhere.example/', '0; url=https://elsewhere.example/'],
  ])('%j is rewritten', (value, expected) => {
    expect(publicRefresh(value, rules)).toBe(expected);
  });
});

describe('the scope of a service worker', () => {
  it.each([
    ['/', `${prefix}/`],
    ['/docs/', `${prefix}/docs/`],
    [`${prefix}/docs/`, `${prefix}/docs/`],
    ['https://elsewhere.example/', `${prefix}/`],
    ['/../', `${prefix}/`],
    ['/%2e%2e/', `${prefix}/`],
    ['..', `${prefix}/`],
  ])('%j is not wider than the prefix', (scope, expected) => {
    expect(publicScope(scope, rules)).toBe(expected);
  });

  it('is limited also for a server that knows its prefix', () => {
    expect(publicScope('/', kept)).toBe(`${prefix}/`);
  });

  it('is the whole of a host of its own', () => {
    expect(publicScope('/', ownHost)).toBe('/');
  });
});

describe('a Referer', () => {
  const origin = 'https://gateway.example:8443';

  it.each([
    [`${origin}${prefix}/page?x`, 'http://localhost:3000/page?x'],
    [`${origin}${prefix}`, 'http://localhost:3000/'],
    ['https://elsewhere.example/', 'https://elsewhere.example/'],
    [`${origin}/sessions?secret`, undefined],
    [origin, undefined],
    [`${origin}${prefix}0/`, undefined],
  ])('%j is told as %j', (referer, expected) => {
    expect(toldReferer(referer, rules)).toBe(expected);
  });

  it('keeps the prefix for a server that knows it', () => {
    expect(toldReferer(`${origin}${prefix}/page`, kept)).toBe(`http://localhost:3000${prefix}/page`);
  });
});

describe('the path of a forwarded request', () => {
  it.each([
    [`${prefix}/a/../b//c?x=%41&&y`, '/a/../b//c?x=%41&&y'],
    [`${prefix}/`, '/'],
    [`${prefix}?x`, '/?x'],
    [`${prefix}//evil.example/`, '/evil.example/'],
    [`${prefix}/\\evil.example/`, '/evil.example/'],
  ])('%j becomes %j', (url, expected) => {
    expect(targetPath(url, rules)).toBe(expected);
    expect(targetPath(url, kept)).toBe(url);
  });
});
