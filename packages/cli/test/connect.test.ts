import { spawnSync } from 'node:child_process';
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

  const isRunning = (url: string, pid = process.pid) =>
    writeFileSync(join(stateDir, 'gateway.json'), JSON.stringify({ url, pid }));
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

  it('opens the gateway of its state directory with the key that is there', () => {
    hasKey();
    isRunning('http://127.0.0.1:3007');
    expect(connect(testCli({ stateDir }), {}).url).toBe('http://127.0.0.1:3007');
  });

  it('keeps that key from whoever listens on this machine when the gateway does not run', () => {
    hasKey();
    expect(() => connect(testCli({ stateDir }), {})).toThrow('Start it with "fairlead serve"');
    const { pid } = spawnSync('true');
    isRunning('http://127.0.0.1:3007', pid);
    expect(() => connect(testCli({ stateDir }), {})).toThrow('none runs on the state directory');
    isRunning('http://127.0.0.1:3007');
    expect(() => connect(testCli({ stateDir }), { gateway: 'http://127.0.0.1:3008' })).toThrow(
      'There is no key for http://127.0.0.1:3008',
    );
  });

  it('never sends the key of this machine to another one', () => {
    hasKey();
    isRunning('http://127.0.0.1:3007');
    const remote = { gateway: 'https://gateway.example' };
    expect(() => connect(testCli({ stateDir }), remote)).toThrow(
      'There is no key for https://gateway.example',
    );
    expect(connect(testCli({ stateDir, apiKey: 'given' }), remote).url).toBe('https://gateway.example');
    isRunning('https://gateway.example');
    expect(connect(testCli({ stateDir }), remote).url).toBe('https://gateway.example');
  });

  it('says how to get a key where there is none', () => {
    isRunning('http://127.0.0.1:3007');
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
