import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { editor } from './support/editor.ts';
import { runProgram } from './support/run-program.ts';
import { ScriptedWindow } from './support/scripted-window.ts';

const program = fileURLToPath(new URL('./support/first_client.py', import.meta.url));

describe('a client of the first form of the protocol', { tags: ['python3'] }, () => {
  let window: ScriptedWindow;
  beforeEach(async () => (window = await ScriptedWindow.open(editor)));
  afterEach(() => window[Symbol.asyncDispose]());

  async function ask(requests: (object | string)[], env = window.env): Promise<string[]> {
    const args = requests.map((request) => (typeof request === 'string' ? request : JSON.stringify(request)));
    const { code, out, errors } = await runProgram('python3', [program, ...args], env);
    expect({ code, errors }).toEqual({ code: 0, errors: '' });
    return out.trimEnd().split('\n');
  }

  it('gets what it asks for', async () => {
    const replies = await ask([
      { type: 'vscode/showMessage', params: { message: 'Transition fired!', level: 'info' } },
      { type: 'vscode/chat', params: { message: 'What is 2+2?', timeout: 30_000 } },
      { type: 'vscode/chat', params: { message: 'x'.repeat(70_000), timeout: 30_000 } },
      { type: 'vscode/executeCommand', params: { command: 'a.b', args: ['file:///x', 1], timeout: 10_000 } },
      { type: 'vscode/getChatHistory', params: { conversationId: 'c-1', limit: 10 } },
    ]);
    const [message, chat, long, command, history] = replies.map((reply) => JSON.parse(reply) as unknown);
    expect(message).toMatchObject({ success: true });
    expect(chat).toMatchObject({
      success: true,
      result: { response: 'You said: What is 2+2?', conversationId: 'c-1' },
    });
    expect(long).toMatchObject({ success: true, result: { response: `You said: ${'x'.repeat(70_000)}` } });
    expect(command).toEqual({ success: true, result: { result: ['file:///x', 1] } });
    expect(history).toMatchObject({
      success: true,
      result: { messages: [{ role: 'user', content: 'c-1' }] },
    });
  });

  it('gets its errors in the words it knows', async () => {
    const replies = await ask([
      { type: 'vscode/chat', params: { timeout: 30_000 } },
      { type: 'vscode/executeCommand', params: { args: [] } },
      { type: 'vscode/getChatHistory', params: {} },
      { type: 'vscode/showMessage', params: {} },
      { type: 'vscode/unheard', params: {} },
      { type: 'vscode/executeCommand', params: { command: 'slow', args: [], timeout: 300 } },
      'this is no JSON',
    ]);
    expect(replies.map((reply) => (JSON.parse(reply) as { error: string }).error)).toEqual([
      'Missing message parameter',
      'Missing command parameter',
      'Missing conversationId parameter',
      'Missing message parameter',
      expect.stringMatching(/^Unknown request type: vscode\/unheard/),
      expect.any(String),
      'Invalid JSON',
    ]);
    expect(JSON.parse(replies.at(-1)!)).toMatchObject({ id: null, success: false });
  });

  it('sees a refusal as a chat that was blocked', async () => {
    const [reply] = await ask([{ type: 'vscode/chat', params: { message: 'refuse', timeout: 30_000 } }]);
    expect(JSON.parse(reply!)).toEqual({
      success: true,
      result: expect.objectContaining({
        response: '',
        blocked: true,
        blockedReason: 'refusal',
        openedChat: false,
      }),
    });
  });

  it('may use an id again', async () => {
    const request = { id: 7, type: 'vscode/showMessage', params: { message: 'x' } };
    const replies = await ask([request, request]);
    expect(replies.map((reply) => JSON.parse(reply) as unknown)).toEqual([
      { success: true, result: { button: null } },
      { success: true, result: { button: null } },
    ]);
  });

  it('is closed with 1008 when its token is wrong', async () => {
    const env = { ...window.env, EVOLVE_RUN_BRIDGE_TOKEN: 'f'.repeat(64) };
    expect(await ask(['no JSON'], env)).toEqual(['closed 1008 Unauthorized']);
  });

  it('is closed with 1008 when its session is another', async () => {
    const env = { ...window.env, EVOLVE_RUN_BRIDGE_SESSION: '0'.repeat(16) };
    expect(await ask(['no JSON'], env)).toEqual(['closed 1008 Unauthorized']);
  });
});
