import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DebugBridge } from '../../packages/extension/src/bridge/debug-bridge.ts';
import { DebugMessages } from './support/debug-messages.ts';
import { editor } from './support/editor.ts';
import { pythonSource, runProgram } from './support/run-program.ts';
import { ScriptedWindow } from './support/scripted-window.ts';

let window: ScriptedWindow;
beforeEach(async () => (window = await ScriptedWindow.open(editor)));
afterEach(() => window[Symbol.asyncDispose]());

async function run(program: string, env = window.env): Promise<string[]> {
  const { code, out, errors } = await runProgram('python3', ['-c', undent(program)], env);
  expect({ code, errors }).toEqual({ code: 0, errors: '' });
  return out.trimEnd().split('\n');
}

describe('a Python script on the bridge', { tags: ['python3'] }, () => {
  it('asks for everything the window offers', async () => {
    const lines = await run(`
      import vscode_bridge as v
      print(v.is_available())
      chat = v.chat("hello", conversation_id="c-7")
      print(chat, chat.conversation_id, chat.model)
      print(v.chat_async("later").result(10))
      print(list(v.chat_stream("a b")))
      print(v.get_chat_history("c-7"))
      print(v.execute_command("do.it", v.Uri("file:///a"), v.Range(v.Position(1, 2), v.Position(3, 4)), "x"))
      print(v.show_message("done"), v.show_message("sure?", "warning", buttons=["Yes", "No"]))
      print(v.ask("Who?"), v.ask("Where?", choices=["staging", "production"]))
      print(v.ask("Which?", ["a", "b"], multi=True, default=["a", "b"]), v.confirm("Sure?"))
      print(v.open_file("src/a.ts", selection=v.Position(1), focus=True).line_count)
      print(v.show_diff("src/a.ts", v.DiffText("new", "b.ts"), title="T"))
      print(v.diagnostics(severity="error")[0].range)
      with v.progress("Copying", cancellable=True) as shown:
          print(shown.report(percent=10), shown.report("half", percent=50))
      print(v.request("vscode/openEditors"))
    `);
    expect(lines).toEqual([
      'True',
      'You said: hello c-7 m-1',
      'You said: later',
      "['You ', 'said: ', 'a ', 'b']",
      "[{'role': 'user', 'content': 'c-7', 'timestamp': 1}]",
      "[Uri(value='file:///a'), Range(start=Position(line=1, character=2), end=Position(line=3, character=4)), 'x']",
      'None Yes',
      'Ada staging',
      "['a', 'b'] True",
      '3',
      'T',
      'Range(start=Position(line=0, character=4), end=Position(line=0, character=4))',
      'False True',
      "{'files': [], 'active': None}",
    ]);
  });

  it('does the same with asyncio', async () => {
    const lines = await run(`
      import asyncio
      from vscode_bridge import aio
      async def main():
          print(await aio.chat("hello"))
          print([piece async for piece in aio.chat_stream("a b")])
          print(await asyncio.gather(*(aio.execute_command("echo", number) for number in range(5))))
      asyncio.run(main())
    `);
    expect(lines).toEqual(['You said: hello', "['You ', 'said: ', 'a ', 'b']", '[[0], [1], [2], [3], [4]]']);
  });

  it('tells the errors of the window apart, and hears of a time-out from the window first', async () => {
    const lines = await run(`
      import vscode_bridge as v
      for call in (
          lambda: v.chat("refuse"),
          lambda: v.chat("none"),
          lambda: v.show_message(""),
          lambda: v.request("vscode/unheard"),
          lambda: v.execute_command("slow", timeout=5),
      ):
          try: call()
          except RuntimeError as error: print(type(error).__name__, getattr(error, "code", ""), str(error)[:40])
    `);
    expect(lines).toEqual([
      'ChatRefusedError refused VS Code could not do vscode/chat: The mo',
      'NoModelError no_model VS Code could not do vscode/chat: Instal',
      'InvalidRequestError invalid_params VS Code could not do vscode/showMessage:',
      'InvalidRequestError unknown_type VS Code could not do vscode/unheard: Unk',
      'BridgeTimeoutError  VS Code could not do vscode/executeComma',
    ]);
  });

  it('loses and repeats nothing while its connection is cut again and again', async () => {
    const program = run(`
      import itertools, threading, vscode_bridge as v
      numbers, done, cuts = itertools.count(), [], threading.Event()
      def work():
          while not cuts.is_set():
              number = next(numbers)
              done.append((number, v.execute_command("echo", number, timeout=60)))
              if v.show_message("enough?", buttons=["go on"]) == "stop": cuts.set()
      threads = [threading.Thread(target=work) for _ in range(8)]
      for thread in threads: thread.start()
      for thread in threads: thread.join()
      done.sort()
      print(len(done) > 8, done == [(number, [number]) for number in range(len(done))], len(done))
    `);
    let cuts = 0;
    window.handle = (request, call) =>
      request.type === 'vscode/showMessage' && cuts >= 20
        ? Promise.resolve({ button: 'stop' })
        : editor(request, call);
    for (; cuts < 20; cuts += 1) {
      await window.asked();
      window.cut();
    }
    const [line] = await program;
    const done = window.requestsOf('vscode/executeCommand').map(({ params }) => params.args[0]);
    expect(line).toBe(`True True ${done.length}`);
    expect(new Set(done).size).toBe(done.length);
  });

  it('asks again after a reload of the window, but does nothing twice', async () => {
    const both = Promise.withResolvers<void>();
    window.handle = () => {
      if (window.requests.length === 2) both.resolve();
      return new Promise(() => undefined);
    };
    const program = run(`
      import threading, vscode_bridge as v
      def command():
          try: v.execute_command("deploy", timeout=60)
          except v.BridgeClosedError as error: print("whether it was done is not known" in str(error))
      thread = threading.Thread(target=command)
      thread.start()
      answer = v.ask("Where?", choices=["staging"])
      thread.join()
      print(answer)
    `);
    await both.promise;
    window.handle = editor;
    await window.reload();
    expect(await program).toEqual(['True', 'staging']);
    expect(new Set(window.requestsOf('vscode/ask').map(({ params }) => params.questionId)).size).toBe(1);
    expect(window.requestsOf('vscode/executeCommand')).toHaveLength(1);
  });

  it('is told when its run has ended', async () => {
    window.handle = (request, call) => {
      if (request.type === 'vscode/ask') setImmediate(() => window.endRun());
      return request.type === 'vscode/ask' ? new Promise(() => undefined) : editor(request, call);
    };
    const lines = await run(`
      import vscode_bridge as v
      try: v.ask("Who?")
      except v.NotAvailableError as error: print(error)
      print(v.is_available())
    `);
    expect(lines[0]).toMatch(/does not accept the token of this run \(the run has ended\)/);
    expect(lines[1]).toBe('False');
  });

  it('is refused with a wrong token', async () => {
    const lines = await run(
      `
      import vscode_bridge as v
      try: v.chat("x")
      except v.NotAvailableError as error: print("(Unauthorized)" in str(error))
      `,
      { ...window.env, FAIRLEAD_RUN_BRIDGE_TOKEN: 'f'.repeat(64) },
    );
    expect(lines).toEqual(['True']);
  });
});

describe('a Python program under a debug adapter with our helper', { tags: ['python3'] }, () => {
  let directory: string;
  beforeEach(async () => (directory = await mkdtemp(join(tmpdir(), 'fairlead-debug-'))));
  afterEach(() => rm(directory, { recursive: true }));

  it('asks through the debug session, also where there is a run', async () => {
    const program = join(directory, 'program.py');
    await writeFile(
      program,
      undent(`
        import vscode_bridge as v
        print(v.chat("hello", conversation_id="c-2").conversation_id, list(v.chat_stream("a b")))
        try: v.chat("refuse")
        except v.ChatRefusedError as error: print(error.code)
        try: v.execute_command("slow", timeout=0.4)
        except v.BridgeTimeoutError: print("late")
      `),
    );
    const adapter = spawn('python3', ['examples/bridge/debug_adapter.py'], {
      env: { ...process.env, ...window.env, PYTHONPATH: pythonSource, PYTHONDONTWRITEBYTECODE: '1' },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const closed = once(adapter, 'close');
    const messages = new DebugMessages(adapter.stdout, adapter.stdin);
    const bridge = new DebugBridge({
      run: { id: 'debug-1', name: 'program.py' },
      handle: editor,
      operations: { receive: () => false },
      request: (command, args) => messages.request(command, args),
      left: () => undefined,
      log: () => undefined,
    });
    messages.onMessage = (message) => bridge.receive(message);
    void messages.request('initialize', {});
    void messages.request('launch', { program });
    await messages.event('initialized');
    void messages.request('configurationDone', {});
    const { output } = await messages.event('output');
    expect(output).toBe("c-2 ['You ', 'said: ', 'a ', 'b']\nrefused\nlate\n");
    await messages.request('disconnect', {});
    expect(await closed).toEqual([0, null]);
    bridge.end();
    expect(window.requests).toEqual([]);
  });
});

function undent(text: string): string {
  const indent = /^\n( *)/.exec(text)?.[1] ?? '';
  return text.replaceAll(`\n${indent}`, '\n').trim();
}
