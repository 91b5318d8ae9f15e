import { readdir } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { editor } from './support/editor.ts';
import { runProgram } from './support/run-program.ts';
import { ScriptedWindow } from './support/scripted-window.ts';

const fairlead = 'What is a fairlead on a boat? One sentence.';
/** What each prints where the user always takes the first choice, or says yes. */
const printed: Record<string, string> = {
  'ask.py': "deploying ['server'] of nightly to staging\n",
  'ask.ts': 'deployed to staging\n',
  'chat.py': `You said: ${fairlead}\nYou said: And why is it called so?\nuser: c-1\n`,
  'chat.ts': `You said: ${fairlead}\nYou said: And why is it called so?\n`,
  'chat_stream.py': 'You said: Count to five in words.\n',
  'diagnostics.py': '/project/a.ts:1: error: no\n',
  'execute_command.py': '',
  'open_file.py': 'typescript, 3 lines\n',
  'progress.py': 'cancelled\n',
  'several_at_once.py': 'You said: What is a rope?\nYou said: What is a cleat?\nYou said: What is a winch?\n',
  'show-message.mjs': '{"id":"","success":true,"result":{"button":null}}\n',
  'show_diff.py': 'Louder?\n',
  'show_message.py': 'pressed: Show\n',
  'with_or_without.py': 'You said: Say hello.\n',
};
const commands: Record<string, string> = { py: 'python3', mjs: process.execPath, ts: process.execPath };

describe('the examples', { tags: ['python3'] }, () => {
  let window: ScriptedWindow;
  beforeEach(async () => (window = await ScriptedWindow.open(editor)));
  afterEach(() => window[Symbol.asyncDispose]());

  it('are all looked at here', async () => {
    const files = await readdir(new URL('../../examples/bridge/', import.meta.url));
    const programs = files.filter((file) => !['README.md', 'debug_adapter.py', '__pycache__'].includes(file));
    expect(programs.toSorted()).toEqual([...Object.keys(printed), 'show-message.sh'].toSorted());
  });

  it.each(Object.entries(printed))('%s does what it says', async (file, out) => {
    const command = commands[file.split('.')[1]!]!;
    const ended = await runProgram(command, [`examples/bridge/${file}`], window.env);
    expect(ended).toEqual({ code: 0, out, errors: '' });
  });

  it('show-message.sh does what it says', { tags: ['curl'] }, async () => {
    const { code, out } = await runProgram('bash', ['examples/bridge/show-message.sh'], window.env);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ success: true });
  });

  it('with_or_without.py tells what is missing without a window', async () => {
    const { code, out } = await runProgram('python3', ['examples/bridge/with_or_without.py'], {});
    expect(code).toBe(0);
    expect(out).toMatch(/^not started from VS Code\nno window: The VS Code bridge is not available/);
  });
});
