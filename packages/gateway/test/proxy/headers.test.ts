import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { headerPairs } from '../../src/proxy/header-list.ts';
import { requestHeaders } from '../../src/proxy/request-headers.ts';
import { responseHeaders } from '../../src/proxy/response-headers.ts';
import type { ProxyRules } from '../../src/proxy/rules.ts';

const prefix = '/vscode/abcdefghijklmnopqrst';
const rules: ProxyRules = {
  prefix,
  prefixMode: 'stripped',
  publicHost: '[2001:db8::1]:8443',
  publicProtocol: 'https',
  host: 'localhost:3000',
  clientAddress: '192.0.2.7',
};
const ours = `fs_abcdefghijklmnopqrst_${'x'.repeat(43)}`;

function told(...raw: string[]): [string, string][] {
  const added = 5;
  return headerPairs(requestHeaders(raw, rules)).slice(added);
}

function shown(name: string, value: string, used: ProxyRules = rules): string | undefined {
  return headerPairs(responseHeaders([name, value], used))[0]?.[1];
}

describe('what a server is told', () => {
  it('is how the browser calls the gateway, whatever the browser says', () => {
    const lies = {
      'X-Forwarded-Host': 'evil.example',
      'x-forwarded-for': '203.0.113.1',
      'X-Forwarded-Prefix': '/evil',
      'X-Forwarded-Proto': 'http',
      'X-Forwarded-Port': '80',
      'X-Forwarded-Server': 'evil',
      'X-Original-Host': 'evil.example',
      'X-Real-IP': '203.0.113.1',
      'X-Rewrite-Url': '/evil',
      'X-Forwarded': 'for=203.0.113.1',
      'True-Client-IP': '203.0.113.1',
      'CF-Connecting-IP': '203.0.113.1',
      'X-Cluster-Client-IP': '203.0.113.1',
      'Fastly-Client-IP': '203.0.113.1',
      'X-Envoy-External-Address': '203.0.113.1',
      True_Client_IP: '203.0.113.1',
      X_Forwarded_Host: 'evil.example',
      Forwarded: 'host=evil.example',
      Host: 'evil.example',
    };
    expect(headerPairs(requestHeaders(Object.entries(lies).flat(), rules))).toEqual([
      ['Host', 'localhost:3000'],
      ['X-Forwarded-Host', '[2001:db8::1]:8443'],
      ['X-Forwarded-Proto', 'https'],
      ['X-Forwarded-For', '192.0.2.7'],
      ['X-Forwarded-Prefix', prefix],
    ]);
  });

  it('has no prefix where the place has a host of its own', () => {
    expect(requestHeaders([], { ...rules, prefix: '' })).not.toContain('X-Forwarded-Prefix');
  });

  it('keeps names as they were written, and every one of several headers', () => {
    expect(told('Sec-WebSocket-Key', 'abc', 'X-a', '1', 'x-A', '2')).toEqual([
      ['Sec-WebSocket-Key', 'abc'],
      ['X-a', '1'],
      ['x-A', '2'],
    ]);
  });

  it.each([
    ['Authorization', `Bearer ${ours}`],
    ['authorization', `bearer   fl_abc`],
    ['X-API-Key', ours],
    ['X-Session-API-Key', ours],
    ['X_API_Key', ours],
    ['Cookie', 'fairlead=secret'],
    ['Cookie', '__Host-fairlead-abc=secret; FAIRLEAD2=x'],
  ])('is nothing of %s: %s', (name, value) => {
    expect(told(name, value)).toEqual([]);
  });

  it.each([
    ['Authorization', 'Bearer of-the-app'],
    ['Authorization', 'Basic ZmxfOmE='],
    ['X-API-Key', 'sk-123'],
    ['Cookie', 'vscode-tkn=abc; theme=dark'],
  ])('is the %s of its own: %s', (name, value) => {
    expect(told(name, value)).toEqual([[name, value]]);
  });

  it('is the rest of the cookies', () => {
    expect(told('Cookie', 'a=1; fairlead=secret; b=fairlead; __Secure-fairlead=x; c=3')).toEqual([
      ['Cookie', 'a=1; b=fairlead; c=3'],
    ]);
  });

  it('is the origin of its own pages, after the gateway has checked the real one', () => {
    expect(told('Origin', 'https://[2001:db8::1]:8443')).toEqual([['Origin', 'http://localhost:3000']]);
    const editor = { ...rules, host: rules.publicHost };
    expect(requestHeaders(['Origin', 'x'], editor).at(-1)).toBe('https://[2001:db8::1]:8443');
  });

  it('is nothing that belongs to the connection of the browser', () => {
    const hops = {
      Connection: 'keep-alive, X-Hop , close',
      'X-Hop': '1',
      'Keep-Alive': 'timeout=5',
      'Transfer-Encoding': 'chunked',
      Upgrade: 'h2c',
      'HTTP2-Settings': 'x',
      TE: 'gzip',
      Trailer: 'x',
      'Proxy-Authorization': 'x',
      'Proxy-Connection': 'x',
      Expect: '100-continue',
    };
    expect(told(...Object.entries(hops).flat())).toEqual([]);
  });

  it('is that trailers are welcome', () => {
    expect(told('TE', 'gzip, trailers;q=0.5')).toEqual([['TE', 'trailers']]);
  });

  it('never has a key or a cookie of ours, however they are written', () => {
    const names = fc.constantFrom(
      'Cookie',
      'COOKIE',
      'authorization',
      'X-Api-Key',
      'x_session_api_key',
      'Cookie_',
    );
    const values = fc
      .array(
        fc.constantFrom('fairlead=', 'SECRET', '; ', ';', ' ', 'a=b', '__Host-', 'Bearer ', 'fl_', 'fs_'),
      )
      .map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(fc.array(fc.tuple(names, values)), (headers) => {
        for (const [name, value] of told(...headers.flat())) {
          if (name.toLowerCase() === 'cookie') expect(value).not.toMatch(/(^|;)\s*(__Host-)?fairlead/);
          else if (name !== 'Cookie_') expect(value).not.toMatch(/^\s*(bearer\s+)?f[ls]_/i);
        }
      }),
    );
  });
});

describe('a cookie that a server sets', () => {
  it.each([
    // What VS Code's server sends: the page reads it, so it must not become HttpOnly.
    [
      'vscode-tkn=abc; Max-Age=604800; SameSite=Lax',
      `vscode-tkn=abc; Max-Age=604800; SameSite=Lax; Path=${prefix}/; Secure`,
    ],
    ['a=1; Path=/', `a=1; Path=${prefix}/; Secure`],
    ['a=1; path=/x; HttpOnly', `a=1; HttpOnly; Path=${prefix}/x; Secure`],
    ['a=1; Path=/x; Path=/y', `a=1; Path=${prefix}/y; Secure`],
    ['a=1; Path=relative', `a=1; Path=${prefix}/; Secure`],
    ['a=1; Path', `a=1; Path=${prefix}/; Secure`],
    [`a=1; Path=${prefix}/x; Secure`, `a=1; Secure; Path=${prefix}/x`],
    ['a=1; Domain=.example; Path=/', `a=1; Path=${prefix}/; Secure`],
    ['a=; Max-Age=0', `a=; Max-Age=0; Path=${prefix}/; Secure`],
  ])('%j goes back to it alone', (cookie, expected) => {
    expect(shown('Set-Cookie', cookie)).toBe(expected);
  });

  it.each([
    'fairlead=x; Path=/',
    '__Host-fairlead=x; Secure; Path=/',
    'FairLead-2=x',
    '=fairlead=x',
    'fairlead',
    '',
  ])('%j is not set', (cookie) => {
    expect(shown('Set-Cookie', cookie)).toBeUndefined();
  });

  it('stays within the prefix also where the server knows it', () => {
    const kept: ProxyRules = { ...rules, prefixMode: 'kept', publicProtocol: 'http' };
    expect(shown('Set-Cookie', 'a=1; Path=/', kept)).toBe(`a=1; Path=${prefix}/`);
    expect(shown('Set-Cookie', `a=1; Path=${prefix}0`, kept)).toBe(`a=1; Path=${prefix}/`);
    expect(shown('Set-Cookie', `a=1; Path=${prefix}/lab`, kept)).toBe(`a=1; Path=${prefix}/lab`);
  });

  it('stays on a host of its own, and does not reach the hosts beside it', () => {
    const ownHost: ProxyRules = { ...rules, prefix: '', publicProtocol: 'http' };
    expect(shown('Set-Cookie', 'a=1; Domain=example.com; Path=/x', ownHost)).toBe('a=1; Path=/x');
    expect(shown('Set-Cookie', 'a=1', ownHost)).toBe('a=1');
  });
});

describe('what a browser is shown', () => {
  it('is rewritten where it leads somewhere', () => {
    expect(shown('Location', '/login')).toBe(`${prefix}/login`);
    expect(shown('content-location', '/a.json')).toBe(`${prefix}/a.json`);
    expect(shown('Refresh', '0; url=/a')).toBe(`0; url=${prefix}/a`);
    expect(shown('Service-Worker-Allowed', '/')).toBe(`${prefix}/`);
  });

  it.each(['Strict-Transport-Security', 'Alt-Svc', 'Clear-Site-Data', 'NEL', 'Report-To', 'Public-Key-Pins'])(
    'is no %s, which would count for the whole gateway',
    (name) => {
      expect(shown(name, 'x')).toBeUndefined();
    },
  );

  it.each(['X-Accel-Redirect', 'X-Accel-Buffering', 'X-Sendfile', 'X-Reproxy-URL'])(
    'is no %s, which would be an order to a web server in front of the gateway',
    (name) => {
      expect(shown(name, '/etc/passwd')).toBeUndefined();
      expect(shown(name, '/etc/passwd', { ...rules, prefix: '' })).toBeUndefined();
    },
  );

  it('may clear what it has on a host of its own', () => {
    expect(shown('Clear-Site-Data', '"*"', { ...rules, prefix: '' })).toBe('"*"');
  });

  it('is every one of several headers, in order, and nothing that belongs to the other connection', () => {
    const raw = [
      'Set-Cookie',
      'a=1',
      'X-Hop',
      '1',
      'Connection',
      'close, x-hop',
      'Set-Cookie',
      'b=2',
      'ETag',
      '"x"',
    ];
    expect(headerPairs(responseHeaders(raw, { ...rules, prefix: '', publicProtocol: 'http' }))).toEqual([
      ['Set-Cookie', 'a=1'],
      ['Set-Cookie', 'b=2'],
      ['ETag', '"x"'],
    ]);
  });
});
