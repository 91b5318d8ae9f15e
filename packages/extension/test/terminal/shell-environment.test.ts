import { expect, test } from 'vitest';
import { shellEnvironment } from '../../src/terminal/shell-environment.ts';

test("an agent's shell has the user's environment and the session's, and nothing of VS Code or of the gateway's", () => {
  const host = {
    PATH: '/usr/bin:/bin',
    HOME: '/home/ada',
    LANG: 'de_DE.UTF-8',
    EDITOR: 'vi',
    NODE_OPTIONS: '--require ./hook.js',
    ELECTRON_RUN_AS_NODE: '1',
    VSCODE_IPC_HOOK_CLI: '/tmp/vscode.sock',
    VSCODE_ESM_ENTRYPOINT: 'vs/workbench/api/node/extensionHostProcess',
    CODE_SERVER_SESSION_SOCKET: '/tmp/code-server.sock',
    HASHED_PASSWORD: 'of the web VS Code',
    FAIRLEAD_KEY: 'of the gateway',
    SESSION_API_KEY: 'of a sandbox',
    EVOLVE_RUN_BRIDGE_TOKEN: 'of a program that the user runs',
    FAIRLEAD_RUN_BRIDGE_TOKEN: 'of the same',
    BROWSER: '/opt/code/bin/helpers/browser.sh',
    PWD: '/opt/code',
    NOT_SET: undefined,
  };
  expect(shellEnvironment(host, { LANG: 'C.UTF-8', GREETING: 'hello' })).toEqual({
    PATH: '/usr/bin:/bin',
    HOME: '/home/ada',
    LANG: 'C.UTF-8',
    EDITOR: 'vi',
    GREETING: 'hello',
  });
});
