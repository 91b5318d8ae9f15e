import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openExecutor } from '@fairlead/executor';
import { runArgs } from '@fairlead/protocol';
import { expect, onTestFinished, test } from 'vitest';
import { terminalEnvironment } from '../../src/terminal/integration/terminal-environment.ts';
import { sessionVariables, variablesToShow } from '../../src/terminal/session-variables.ts';
import { shellEnvironment } from '../../src/terminal/shell-environment.ts';

const harmless = {
  LANG: 'C.UTF-8',
  API_KEY: 'of a service',
  HISTCONTROL: 'ignoreboth',
  https_proxy: 'http://proxy:3128',
  GIT_AUTHOR_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.org',
  GIT_TERMINAL_PROMPT: '0',
};

const refused = [
  'PROMPT_COMMAND PS0 PS1 PS2 PS3 PS4 BASH_ENV BASHOPTS SHELLOPTS ENV ZDOTDIR IFS HOME PATH Path HISTFILE MAILPATH',
  'BASH_FUNC_ls%% LD_PRELOAD LD_LIBRARY_PATH DYLD_INSERT_LIBRARIES NODE_OPTIONS PYTHONSTARTUP PYTHONPATH EDITOR PAGER',
  'GIT_SSH_COMMAND GIT_PAGER GIT_CONFIG_COUNT LESSOPEN XDG_CONFIG_HOME fish_function_path',
  'FAIRLEAD_SHELL_PID EVOLVE_RUN_BRIDGE_TOKEN VSCODE_INJECTION __fairlead_end',
].flatMap((names) => names.split(' '));

test('a session cannot set what makes a shell run something, or find other programs', () => {
  const wanted = { ...harmless, ...Object.fromEntries(refused.map((name) => [name, '/tmp/theirs'])) };
  expect(sessionVariables(wanted)).toEqual(harmless);
  const host = { PATH: '/usr/bin:/bin', HOME: '/home/ada' };
  expect(shellEnvironment(host, wanted)).toEqual({ ...host, ...harmless });
  expect(Object.values(terminalEnvironment(wanted))).not.toContain('/tmp/theirs');
  expect(terminalEnvironment(wanted)).toMatchObject({ ...harmless, GIT_PAGER: 'cat' });
});

test('what may change what a command does is for the user to see, and what is harmless is not', () => {
  const wanted = {
    ...harmless,
    MAKEFLAGS: '--eval=x',
    TAR_OPTIONS: '--checkpoint',
    CC: 'mine',
    PATH: '/theirs',
  };
  expect(Object.keys(variablesToShow(wanted)).toSorted()).toEqual(
    ['API_KEY', 'CC', 'HISTCONTROL', 'MAKEFLAGS', 'TAR_OPTIONS', 'https_proxy'].toSorted(),
  );
});

test("a terminal of VS Code's has nothing of a sandbox or of a program that VS Code was started from", () => {
  expect(terminalEnvironment({})).toMatchObject({
    SESSION_API_KEY: null,
    FAIRLEAD_RUN_BRIDGE_TOKEN: null,
    EVOLVE_RUN_BRIDGE_ADDR: null,
    EVOLVE_RUN_BRIDGE_TOKEN: null,
    EVOLVE_RUN_BRIDGE_SESSION: null,
  });
});

test('a shell runs nothing that comes with the session', async () => {
  const place = mkdtempSync(join(tmpdir(), 'session-variables-'));
  onTestFinished(() => rmSync(place, { recursive: true, force: true }));
  const ran = join(place, 'ran');
  const startFile = join(place, '.bashrc');
  writeFileSync(startFile, `touch ${ran}\n`);
  const session = {
    PROMPT_COMMAND: `touch ${ran}`,
    PS1: `$(touch ${ran})`,
    PS0: `$(touch ${ran})`,
    BASH_ENV: startFile,
    ENV: startFile,
    HOME: place,
    'BASH_FUNC_echo%%': `() { touch ${ran}; }`,
    GREETING: 'hello',
  };
  const executor = await openExecutor({
    workspace: place,
    sessionDir: join(place, 'session'),
    terminal: 'pty',
    noChangeTimeoutSeconds: 10,
    env: shellEnvironment({ PATH: '/usr/bin:/bin', HOME: '/nonexistent' }, session),
  });
  onTestFinished(() => executor.close());
  const args = runArgs.parse({ command: 'echo $GREETING; bash -c true' });
  const observation = await executor.execute(
    { action: 'run', args, timeout: 30, shell: 'main' },
    { actionId: 'a1' },
  );
  expect(observation.content).toBe('hello');
  expect(existsSync(ran)).toBe(false);
});
