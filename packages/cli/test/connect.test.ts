import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connect, gatewayUrl } from '../src/connect.ts';
import { testCli } from './support/test-cli.ts';

describe('which gateway, and which key', () => {
  let stateDir: string;
  beforeEach(() => {
    stateDir = mkdtempSync(join(tmpdir(), 'fairlead-connect-'));
  });
  afterEach(() => rmSync(stateDir, { recursive: true }));

  const isRunning = (url: string) =>
    writeFileSync(join(stateDir, 'gateway.json'), JSON.stringify({ url, pid: 1 }));
  const hasKey = (text = 'fl_key\n') => writeFileSync(join(stateDir, 'key'), text);

  it('is the one that the option names, then the environment, then the one that runs here', () => {
    isRunning('http://127.0.0.1:3007');
    const cli = testCli({ stateDir, url: 'http://env:1' });
    expect(gatewayUrl(cli, { gateway: 'http://option:2' })).toBe('http://option:2');
    expect(gatewayUrl(cli, {})).toBe('http://env:1');
    expect(gatewayUrl(testCli({ stateDir }), {})).toBe('http://127.0.0.1:3007');
    expect(gatewayUrl(testCli(), {})).toBe('http://127.0.0.1:3000');
    expect(gatewayUrl(testCli({ cwd: join(stateDir, '..') }), { stateDir })).toBe('http://127.0.0.1:3007');
  });

  it('must be an address', () => {
    expect(() => gatewayUrl(testCli(), { gateway: 'localhost:3000' })).toThrow(
      'use one like http://127.0.0.1:3000',
    );
  });

  it('opens a gateway of this machine with the key of its state directory', () => {
    hasKey();
    expect(connect(testCli({ stateDir }), {}).url).toBe('http://127.0.0.1:3000');
  });

  it('never sends the key of this machine to another one', () => {
    hasKey();
    const remote = { gateway: 'https://gateway.example' };
    expect(() => connect(testCli({ stateDir }), remote)).toThrow(
      'There is no key for https://gateway.example',
    );
    expect(connect(testCli({ stateDir, apiKey: 'given' }), remote).url).toBe('https://gateway.example');
    isRunning('https://gateway.example');
    expect(connect(testCli({ stateDir }), remote).url).toBe('https://gateway.example');
  });

  it('says how to get a key where there is none', () => {
    expect(() => connect(testCli({ stateDir }), {})).toThrow(
      /key: it does not exist\. "fairlead serve" makes one/,
    );
    expect(() => connect(testCli({ stateDir }), { keyFile: '/missing' })).toThrow(
      'Cannot read the key file /missing',
    );
    hasKey('\n');
    expect(() => connect(testCli({ stateDir }), {})).toThrow('is empty');
  });
});
