import { describe, expect, test } from 'vitest';
import { parseArguments, UsageError } from '../../src/start/arguments.ts';
import { readSettings, shellEnvironment } from '../../src/start/environment.ts';

const reference =
  '30123 --working-dir /workspace --plugins jupyter agent_skills vscode --username openhands --user-id 1001 --no-enable-browser';

describe('argv', () => {
  test("is OpenHands' own", () => {
    expect(parseArguments(reference.split(' '))).toMatchObject({
      listenOn: { kind: 'port', port: 30123 },
      workingDir: '/workspace',
      username: 'openhands',
      userId: 1001,
      terminal: 'auto',
    });
  });

  test.each([
    '3000 --browsergym-eval-env browsergym/x --enable-browser',
    '3000 --unknown --working-dir .',
    '3000 --unknown value --working-dir .',
    '3000 --unknown several values --working-dir=.',
    '3000 -x --unknown=1 --working-dir .',
    '--unknown 3000',
    '--plugins --working-dir . 3000',
    '3000 --plugins jupyter',
  ])('%s is understood', (line) => {
    expect(parseArguments(line.split(' '))).toMatchObject({
      listenOn: { kind: 'port', port: 3000 },
      workingDir: '.',
      username: undefined,
    });
  });

  test('has our own flags', () => {
    const line =
      '0 --host 0.0.0.0 --allowed-host a --allowed-host b --session-dir /s --terminal pty --insecure-no-key --lease 600';
    expect(parseArguments(line.split(' '))).toMatchObject({
      listenOn: { kind: 'port', port: 0 },
      host: '0.0.0.0',
      allowedHosts: ['a', 'b'],
      sessionDir: '/s',
      terminal: 'pty',
      isInsecureAllowed: true,
      leaseSeconds: 600,
    });
  });

  test('has a socket in place of the port', () => {
    expect(parseArguments(['--socket', 'run/server.sock'])).toMatchObject({
      listenOn: { kind: 'socket', path: 'run/server.sock' },
      leaseSeconds: undefined,
    });
  });

  test.each([
    ['', 'No port given'],
    ['x', 'PORT "x"'],
    ['65536', 'PORT "65536"'],
    ['30 40', 'Unexpected argument "40"'],
    ['3000 --working-dir', '--working-dir needs a value'],
    ['3000 --working-dir --host', '--working-dir needs a value'],
    ['3000 --user-id me', '--user-id "me"'],
    ['3000 --terminal screen', '--terminal "screen"'],
    ['3000 --socket s', 'Both a port (3000) and --socket s'],
    ['3000 --lease 0', '--lease "0" is not a number from 1'],
    ['3000 --lease soon', '--lease "soon"'],
  ])('%j is refused', (line, message) => {
    expect(() => parseArguments(line.split(' ').filter(Boolean))).toThrow(UsageError);
    expect(() => parseArguments(line.split(' ').filter(Boolean))).toThrow(message);
  });
});

describe('the environment', () => {
  test('has defaults', () => {
    expect(readSettings({ SESSION_API_KEY: '' })).toMatchObject({
      sessionApiKey: undefined,
      noChangeTimeoutSeconds: 10,
      isSwitchingUser: true,
    });
  });

  test('is read', () => {
    const settings = readSettings({
      SESSION_API_KEY: 'k',
      NO_CHANGE_TIMEOUT_SECONDS: '30',
      SU_TO_USER: 'off',
    });
    expect(settings).toMatchObject({
      sessionApiKey: 'k',
      noChangeTimeoutSeconds: 30,
      isSwitchingUser: false,
    });
  });

  test.each(['0', '-1', 'ten', '1e3', '99999999'])('NO_CHANGE_TIMEOUT_SECONDS=%s is refused', (text) => {
    expect(() => readSettings({ NO_CHANGE_TIMEOUT_SECONDS: text })).toThrow(
      `NO_CHANGE_TIMEOUT_SECONDS="${text}"`,
    );
  });

  test('of the shells has no key and no setting of the server', () => {
    const env = {
      PATH: '/bin',
      SESSION_API_KEY: 'k',
      FAIRLEAD_HOST: 'h',
      NO_CHANGE_TIMEOUT_SECONDS: '5',
      VSCODE_PORT: '1',
    };
    expect(shellEnvironment(env)).toEqual({ PATH: '/bin', VSCODE_PORT: '1' });
  });

  test('shells can have variables that the server itself does not see', () => {
    const shellEnv = JSON.stringify({ NODE_OPTIONS: '--nonsense', PATH: '/opt/bin' });
    expect(shellEnvironment({ PATH: '/bin', FAIRLEAD_SHELL_ENV: shellEnv })).toEqual({
      PATH: '/opt/bin',
      NODE_OPTIONS: '--nonsense',
    });
    expect(() => shellEnvironment({ FAIRLEAD_SHELL_ENV: '["a"]' })).toThrow('FAIRLEAD_SHELL_ENV');
  });
});
