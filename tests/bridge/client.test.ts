import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { type Bridge, BridgeError, createBridge, vscodeValues } from '@fairlead/client/bridge';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { editor } from './support/editor.ts';
import { runProgram } from './support/run-program.ts';
import { ScriptedWindow } from './support/scripted-window.ts';

let window: ScriptedWindow;
let bridge: Bridge;

beforeEach(async () => {
  window = await ScriptedWindow.open(editor);
  bridge = createBridge(window.endpoint);
});

afterEach(async () => {
  bridge.close();
  await window[Symbol.asyncDispose]();
});

describe('a Node script on the bridge', () => {
  it('asks for everything the window offers', async () => {
    expect(await bridge.isAvailable()).toBe(true);
    expect(await bridge.chat('hello', { conversationId: 'c-7' })).toMatchObject({
      response: 'You said: hello',
      conversationId: 'c-7',
    });
    expect(await bridge.getChatHistory('c-7')).toEqual([{ role: 'user', content: 'c-7', timestamp: 1 }]);
    const args = [vscodeValues.file('/a b'), vscodeValues.position(1, 2), 'x'];
    expect(await bridge.executeCommand('do.it', args)).toEqual([
      { $type: 'Uri', value: 'file:///a%20b' },
      { $type: 'Position', line: 1, character: 2 },
      'x',
    ]);
    expect(await bridge.showMessage('done')).toBeNull();
    expect(await bridge.showMessage('sure?', { level: 'warning', buttons: ['Yes', 'No'] })).toBe('Yes');
    expect(await bridge.ask('Who?')).toBe('Ada');
    expect(await bridge.ask('Where?', { choices: ['staging', 'production'] })).toBe('staging');
    expect(await bridge.askMany('Which?', ['a', 'b'], { default: ['a', 'b'] })).toEqual(['a', 'b']);
    expect(await bridge.confirm('Sure?')).toBe(true);
    expect(await bridge.openFile('src/a.ts', { selection: { line: 1, character: 0 } })).toMatchObject({
      path: 'src/a.ts',
      lineCount: 3,
    });
    expect(await bridge.showDiff('src/a.ts', { text: 'new', name: 'b.ts' }, { title: 'T' })).toBe('T');
    expect(await bridge.diagnostics({ severity: 'error' })).toMatchObject([{ severity: 'error' }]);
    const percents = await bridge.withProgress('Copying', async ({ report }) => [
      await report({ percent: 10 }),
      await report({ percent: 50 }),
    ]);
    expect(percents).toEqual([false, true]);
    expect(window.requests.at(-1)?.params).toMatchObject({ done: true });
    expect(await bridge.request('vscode/openEditors', {})).toEqual({ files: [], active: null });
  });

  it('gets an answer piece by piece', async () => {
    const stream = bridge.chatStream('a b');
    const pieces: string[] = [];
    for await (const piece of stream) pieces.push(piece);
    expect(pieces).toEqual(['You ', 'said: ', 'a ', 'b']);
    expect((await stream.answer).response).toBe('You said: a b');
  });

  it('cancels an answer by leaving it', async () => {
    const cancelled = Promise.withResolvers<void>();
    window.handle = (request, call) => {
      call.signal.addEventListener('abort', () => cancelled.resolve());
      return editor(request, call);
    };
    for await (const piece of bridge.chatStream('never')) {
      expect(piece).toBe('You ');
      break;
    }
    await cancelled.promise;
  });

  it('has a hundred requests under way at once, answered in another order', async () => {
    const all = Promise.withResolvers<void>();
    const waiting: (() => void)[] = [];
    window.handle = async (request, call) => {
      await new Promise<void>((resolve) => {
        if (waiting.push(resolve) === 100) all.resolve();
      });
      return editor(request, call);
    };
    const calls = Array.from({ length: 100 }, (_, number) => bridge.executeCommand('echo', [number]));
    await all.promise;
    for (const answer of waiting.toReversed()) answer();
    expect(await Promise.all(calls)).toEqual(Array.from({ length: 100 }, (_, number) => [number]));
  });

  it('hears from the window that the time is over, before its own ends', async () => {
    // Its time is not to go by while it connects.
    expect(await bridge.isAvailable()).toBe(true);
    const failure = await bridge
      .executeCommand('slow', [], { timeoutMs: 5_000 })
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(BridgeError);
    expect(failure).toMatchObject({
      code: 'timeout',
      message: expect.stringMatching(/^VS Code could not do/),
    });
  });

  it('cancels by its signal', async () => {
    const cancelled = Promise.withResolvers<void>();
    const controller = new AbortController();
    window.handle = (request, call) => {
      call.signal.addEventListener('abort', () => cancelled.resolve());
      controller.abort(new Error('enough'));
      return editor(request, call);
    };
    await expect(bridge.executeCommand('slow', [], { signal: controller.signal })).rejects.toThrow('enough');
    await cancelled.promise;
  });

  it('tells the errors of the window by their code', async () => {
    await expect(bridge.chat('refuse')).rejects.toMatchObject({ code: 'refused' });
    await expect(bridge.chat('none')).rejects.toMatchObject({ code: 'no_model', message: /Install one/ });
    await expect(bridge.showMessage('')).rejects.toMatchObject({
      code: 'invalid_params',
      message: /params\.message/,
    });
    await expect(bridge.chat('x'.repeat(9_000_000))).rejects.toMatchObject({ code: 'invalid_params' });
  });

  it('loses and repeats nothing while its connection is cut again and again', async () => {
    await bridge.isAvailable();
    let cuts = 0;
    const cutting = (async () => {
      for (; cuts < 20; cuts += 1) {
        await window.asked();
        window.cut();
      }
    })();
    const results: unknown[] = [];
    while (cuts < 20) {
      const five = Array.from({ length: 5 }, (_, offset) => [results.length + offset]);
      results.push(...(await Promise.all(five.map((args) => bridge.executeCommand('echo', args)))));
    }
    await cutting;
    const expected = results.map((_, number) => [number]);
    expect(results).toEqual(expected);
    const done = window.requestsOf('vscode/executeCommand').map(({ params }) => params.args as number[]);
    expect(done.toSorted(([a], [b]) => a! - b!)).toEqual(expected);
  });

  it('asks again after a reload of the window, but does nothing twice', async () => {
    const both = Promise.withResolvers<void>();
    window.handle = () => {
      if (window.requests.length === 2) both.resolve();
      return new Promise(() => undefined);
    };
    const question = bridge.ask('Where?', { choices: ['staging'] });
    const command = bridge.executeCommand('deploy').catch((error: unknown) => error);
    await both.promise;
    window.handle = editor;
    await window.reload();
    expect(await question).toBe('staging');
    expect(await command).toMatchObject({ code: 'closed', message: /whether it was done is not known/ });
    const questions = window.requestsOf('vscode/ask').map(({ params }) => params.questionId);
    expect(questions).toHaveLength(2);
    expect(new Set(questions).size).toBe(1);
    expect(window.requestsOf('vscode/executeCommand')).toHaveLength(1);
  });

  it('is told when its run has ended', async () => {
    await bridge.showMessage('hi');
    const asked = Promise.withResolvers<void>();
    window.handle = () => {
      asked.resolve();
      return new Promise(() => undefined);
    };
    const question = bridge.ask('Who?').catch((error: unknown) => error);
    await asked.promise;
    window.endRun();
    expect(await question).toMatchObject({ code: 'not_available', message: /the run has ended/ });
    expect(await bridge.isAvailable()).toBe(false);
  });

  it('is refused with a wrong token, which it does not repeat', async () => {
    const stranger = createBridge({ ...window.endpoint, token: 'wrong-token' });
    const failure = (await stranger.chat('x').catch((error: unknown) => error)) as BridgeError;
    expect(failure).toMatchObject({ code: 'not_available', message: /does not accept the token.*Run File/ });
    expect(failure.message).not.toContain('wrong-token');
    expect(await stranger.isAvailable()).toBe(false);
  });

  it('says that the window was closed, and not that it needs more time', async () => {
    window.handle = () => new Promise(() => undefined);
    const asked = window.asked();
    const question = bridge.ask('Who?').catch((error: unknown) => error);
    await asked;
    await window.shut();
    // Nobody waits here for as long as the question does, whose answer may come yet.
    await expect.poll(() => bridge.isAvailable()).toBe(false);
    await expect(bridge.chat('x', { timeoutMs: 300 })).rejects.toMatchObject({
      code: 'closed',
      message: expect.stringMatching(/was lost and is not back yet: .*ECONNREFUSED.*start the script again/),
    });
    bridge.close();
    expect(await question).toMatchObject({ code: 'closed' });
  });

  it('says that there is no window where one is silent', async () => {
    const silent = createServer();
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const late = createBridge({ ...window.endpoint, address: `ws://127.0.0.1:${port}/` });
    await expect(late.chat('x', { timeoutMs: 300 })).rejects.toMatchObject({
      code: 'not_available',
      message: expect.stringContaining('it does not answer'),
    });
    late.close();
    silent.close();
  });

  it('keeps what its work came to when the window is closed meanwhile', async () => {
    const copied = bridge.withProgress('Copying', async () => {
      await window.shut();
      return 'all of it';
    });
    expect(await copied).toBe('all of it');
  });

  it('keeps the error of its work when the window is closed meanwhile', async () => {
    const copied = bridge.withProgress('Copying', async () => {
      await window.shut();
      throw new Error('the disk is full');
    });
    await expect(copied).rejects.toThrow('the disk is full');
  });

  it('gives a command the time that it takes the user to consent', async () => {
    await bridge.executeCommand('deploy');
    expect(window.requestsOf('vscode/executeCommand')[0]!.params.timeout).toBe(120_000);
  });

  it('says when nothing listens', async () => {
    const late = createBridge({ ...window.endpoint, address: 'ws://127.0.0.1:9/' });
    await expect(late.chat('x')).rejects.toMatchObject({ code: 'not_available', message: /Cannot reach/ });
  });
});

describe('a Node program', () => {
  const program = `
    import * as vscode from '@fairlead/client/bridge';
    console.log(await vscode.isAvailable());
    try { console.log((await vscode.chat('hi')).response); } catch (error) { console.log(error.message); }
  `;

  it('finds the window by its environment, and ends by itself', async () => {
    const ended = await runProgram(process.execPath, ['--input-type=module', '-e', program], window.env);
    expect(ended).toEqual({ code: 0, out: 'true\nYou said: hi\n', errors: '' });
  });

  it('is told what is missing where there is no window', async () => {
    const { code, out } = await runProgram(process.execPath, ['--input-type=module', '-e', program], {});
    expect(code).toBe(0);
    expect(out).toMatch(
      /^false\nThe VS Code bridge is not available: .*FAIRLEAD_RUN_BRIDGE_ADDR, .* are not set/,
    );
  });
});
