import { describe, expect, test } from 'vitest';
import { isReadableOnTheWay, parseGatewayAddress } from '../../src/connection/gateway-address.ts';
import { keyProblem, parseSignInInput } from '../../src/connection/sign-in-input.ts';

describe('the address of a gateway', () => {
  test.each([
    ['https://gateway.example/', 'https://gateway.example'],
    [' https://gateway.example/fairlead/ ', 'https://gateway.example/fairlead'],
    ['gateway.example', 'https://gateway.example'],
    ['gateway.example:8443/base', 'https://gateway.example:8443/base'],
    ['localhost:3000', 'http://localhost:3000'],
    ['127.0.0.1:3000', 'http://127.0.0.1:3000'],
    ['http://[::1]:3000', 'http://[::1]:3000'],
    ['HTTPS://Gateway.Example?x=1#y', 'https://gateway.example'],
  ])('%j is %s', (text, url) => {
    expect(parseGatewayAddress(text)).toEqual({ ok: true, url });
  });

  test.each([
    ['file:///etc/passwd', 'neither'],
    ['javascript:alert(1)', 'neither'],
    ['vscode://fairlead.fairlead/other', 'neither'],
    ['https://user:secret@gateway.example', 'Leave the user'],
    ['', 'is not an address'],
    ['http://', 'is not an address'],
  ])('%j is none', (text, problem) => {
    expect(parseGatewayAddress(text)).toEqual({ ok: false, problem: expect.stringContaining(problem) });
  });

  test('only plain http to another machine can be read on the way', () => {
    const addresses = ['http://10.0.0.1', 'http://gateway.example', 'https://gateway.example'];
    const own = ['http://localhost:1', 'http://a.localhost', 'http://127.9.9.9', 'http://[::1]'];
    expect(addresses.map(isReadableOnTheWay)).toEqual([true, true, false]);
    expect(own.map(isReadableOnTheWay)).toEqual([false, false, false, false]);
  });
});

describe('what somebody pastes to sign in', () => {
  const query = 'url=https%3A%2F%2Fgateway.example&code=abcd-1234';

  test.each([
    `vscode://fairlead.fairlead/connect?${query}`,
    `vscode-insiders://fairlead.fairlead/connect?${query}`,
    ` code-oss://fairlead.fairlead/connect?${query}\n`,
  ])('%j pairs', (text) => {
    expect(parseSignInInput(text)).toEqual({
      kind: 'pairing',
      url: 'https://gateway.example',
      code: 'abcd-1234',
    });
  });

  test('an address is one whose key is asked for', () => {
    expect(parseSignInInput('https://gateway.example/')).toEqual({
      kind: 'address',
      url: 'https://gateway.example',
    });
  });

  test.each([
    ['fl_abc_secret', 'first the address'],
    ['vscode://fairlead.fairlead/connect?url=https%3A%2F%2Fgateway.example', 'no pairing code'],
    ['vscode://fairlead.fairlead/connect?code=abcd-1234', 'names no gateway'],
    ['vscode://fairlead.fairlead/connect?url=file%3A%2F%2F%2Fetc&code=abcd-1234', 'names no gateway'],
    ['vscode://other.extension/connect?url=https%3A%2F%2Fgateway.example&code=abcd', 'neither'],
  ])('%j is wrong, and it is said why', (text, problem) => {
    expect(parseSignInInput(text)).toEqual({ kind: 'wrong', problem: expect.stringContaining(problem) });
  });

  test('keys are those of owners and of windows', () => {
    expect(keyProblem(' fl_abc_DEF-1 ')).toBeUndefined();
    expect(keyProblem('fw_abc_DEF-1')).toBeUndefined();
    expect(keyProblem('fs_abc_DEF-1')).toContain('begin with fl_');
    expect(keyProblem('hunter2')).toContain('begin with fl_');
  });
});
