import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import type { FairleadApi } from '../../packages/extension/src/extension.ts';
import { until } from '../gateway/support/wait.ts';
import { Script, telling } from './support/scripts.ts';
import type { VscodeWindow } from './support/vscode-window.ts';
import { useWindows, windowNeeds } from './support/windows.ts';

/** Python: how a call fails. */
const problem = `
def problem(call):
    try:
        return str(call())
    except RuntimeError as error:
        return [type(error).__name__, getattr(error, "code", None), str(error)]
`;

describe('a script on the bridge', windowNeeds, () => {
  const windows = useWindows({
    extensions: ['model'],
    settings: { 'chat.disableAIFeatures': false, 'fairlead.consent.command': 'allow' },
  });
  let window: VscodeWindow;
  beforeAll(async () => {
    window = await windows.open({ until: 'suite' });
  }, windowNeeds.timeout);

  test('shows a message that says who speaks', async () => {
    const script = await Script.run(window, 'message one.py', telling('show_message("Deploy finished")'));
    await window.notified(/Deploy finished \(message one\.py\)/);
    await window.screenshot('bridge message');
    expect(await script.told()).toBe(null);
    const terminal = window.terminal('Run: message one.py');
    await terminal.show();
    await terminal.shows(/message one\.py ended with exit code 0/);
    await terminal.press('Enter');
    await window.until('the terminal to be closed', (vscode) => vscode.window.terminals.length === 0);
  });

  test('is told which button the person pressed', async () => {
    const script = await Script.run(
      window,
      'buttons.py',
      telling('show_message("Go on?", level="warning", buttons=["Now", "Later"])'),
    );
    await window.clickNotification(/Go on\?/, 'Later');
    expect(await script.told()).toBe('Later');
  });

  test('gets the answer of the editor’s language model, goes on with the conversation, and reads its history', async () => {
    const script = await Script.run(
      window,
      'chat.py',
      telling(
        '[str(first), str(second), get_chat_history(first.conversation_id), list(chat_stream("a b", model="Owl"))]',
        'first = chat("hello", timeout=50)\nsecond = chat("how many", conversation_id=first.conversation_id)',
      ),
    );
    expect(await script.told()).toMatchObject([
      'Parrot: hello',
      '3',
      [
        { role: 'user', content: 'hello' },
        { role: 'assistant', content: 'Parrot: hello' },
        { role: 'user', content: 'how many' },
        { role: 'assistant', content: '3' },
      ],
      ['Owl: ', 'a ', 'b'],
    ]);
  });

  test('hears apart that the model refused, that it is off topic, that it may not be used, and that no model fits', async () => {
    const script = await Script.run(
      window,
      'refused.py',
      telling(
        '[*map(lambda text: problem(lambda: chat(text)), ["refuse", "the weather", "in secret"]), problem(lambda: chat("x", model={"vendor": "nobody"}))]',
        problem,
      ),
    );
    expect(await script.told()).toMatchObject([
      ['ChatRefusedError', 'refused', expect.any(String)],
      ['ChatRefusedError', 'off_topic', expect.any(String)],
      ['PermissionDeniedError', 'no_permission', expect.stringContaining('Manage Language Model Access')],
      ['NoModelError', 'no_model', expect.any(String)],
    ]);
  });

  test('stops the model when it stops waiting', async () => {
    const script = await Script.run(window, 'impatient.py', telling('chat("for ever", timeout=10)'));
    expect(await script.told()).toMatchObject({ error: 'BridgeTimeoutError' });
    await until(() => existsSync(join(window.path, 'model-cancelled')), 'the model to be cancelled');
  });

  test('asks, and gets what the person picks', async () => {
    const script = await Script.run(
      window,
      'ask.py',
      telling('ask("Which environment?", choices=["staging", "production"])'),
    );
    await window.input.getByText('ask.py asks').waitFor();
    await window.screenshot('bridge question');
    await window.pick('production');
    expect(await script.told()).toBe('production');
  });

  test('asks for a text, several choices, and yes or no; with nobody there the default is taken', async () => {
    const script = await Script.run(
      window,
      'asks.py',
      telling(
        '[ask("Name?"), ask("Which?", choices=["a", "b", "c"], multi=True, default=["b"]), confirm("Sure?"), ask("Anybody?", default="nobody", timeout=1)]',
      ),
    );
    await window.answerInput('Ada');
    await window.input.getByText('a', { exact: true }).click();
    await window.input.locator('.quick-input-action .monaco-button', { hasText: 'OK' }).click();
    await window.pick('Yes');
    expect(await script.told()).toEqual(['Ada', ['a', 'b'], true, 'nobody']);
  });

  test('has its question put aside, listed in the palette and answered later', async () => {
    const script = await Script.run(window, 'aside.py', telling('ask("How many?")'));
    await window.input.getByText('aside.py asks').waitFor();
    await window.page.keyboard.press('Escape');
    await window.notified(/aside\.py asks: How many\?/);
    await window.statusBar('1').first().waitFor();
    await window.runCommand('Fairlead: Answer Pending Questions');
    await window.answerInput('seven');
    expect(await script.told()).toBe('seven');
  });

  test('runs commands that are on the list, with objects of VS Code, and no others', async () => {
    await window.evaluate((vscode) => {
      const all = new vscode.Range(0, 0, 4, 0);
      const name = new vscode.Range(0, 4, 0, 9);
      vscode.languages.registerDocumentSymbolProvider('python', {
        provideDocumentSymbols() {
          const outer = new vscode.DocumentSymbol('outer', 'a class', 4, all, name);
          outer.children.push(new vscode.DocumentSymbol('inner', '', 5, name, name));
          return [outer];
        },
      });
    });
    const script = await Script.run(
      window,
      'command.py',
      telling(
        '[[(each["name"], str(each["range"]), each["children"][0]["name"]) for each in symbols], problem(lambda: execute_command("workbench.action.terminal.kill"))]',
        `symbols = execute_command("vscode.executeDocumentSymbolProvider", Uri.file(__file__))\n${problem}`,
      ),
    );
    expect(await script.told()).toMatchObject([
      [['outer', expect.stringContaining('Range('), 'inner']],
      ['PermissionDeniedError', 'denied', expect.stringContaining('fairlead.commands.allowed')],
    ]);
  });

  test('opens a file, shows a diff and its progress, and reads problems', async () => {
    await window.evaluate((vscode) => {
      const problems = vscode.languages.createDiagnosticCollection('probe');
      vscode.workspace.onDidOpenTextDocument(({ uri }) => {
        const place = new vscode.Range(0, 0, 0, 3);
        if (uri.path.endsWith('odd.txt')) problems.set(uri, [new vscode.Diagnostic(place, 'This is odd', 1)]);
      });
    });
    const script = await Script.run(
      window,
      'look.py',
      telling(
        '[open_file(here("odd.txt"), selection=Position(1, 1)).line_count, show_diff(DiffText("one", "a.txt"), DiffText("two", "b.txt"), title="What changed"), [d.message for d in diagnostics(here("odd.txt"))]]',
        'here = lambda name: os.path.join(os.path.dirname(__file__), name)\nopen(here("odd.txt"), "w").write("odd\\nfile\\n")\nshown = progress("Uploading")\nshown.report("half", 50)\nwhile not os.path.exists(__file__ + ".go"): time.sleep(0.05)',
      ),
    );
    await window.notified(/Uploading \(look\.py\)/);
    writeFileSync(`${script.file}.go`, '');
    expect(await script.told()).toEqual([3, 'What changed', ['This is odd']]);
    await window.editorTab('odd.txt').waitFor();
    await window.editorTab('What changed').waitFor();
    await window.notification(/Uploading/).waitFor({ state: 'detached' });
  });

  test('keeps its run over a reload of the window: its question waits, and is answered after', async () => {
    const script = await Script.run(window, 'reload.py', telling('ask("Still there?")'));
    await window.input.getByText('reload.py asks').waitFor();
    await window.reload();
    await window.clickNotification(/reload\.py asks: Still there\?/, 'Answer');
    await window.answerInput('yes');
    expect(await script.told()).toBe('yes');
  });

  test('has a token of its own, which is good until its terminal is closed; no page and no stranger gets in', async () => {
    const script = await Script.run(
      window,
      'guarded.py',
      telling('{key: value for key, value in os.environ.items() if "RUN_BRIDGE" in key}') +
        '\ntime.sleep(600)',
    );
    const env = (await script.told()) as Record<string, string>;
    expect(env['EVOLVE_RUN_BRIDGE_TOKEN']).toBe(env['FAIRLEAD_RUN_BRIDGE_TOKEN']);
    const address = (token: string) =>
      `${env['FAIRLEAD_RUN_BRIDGE_ADDR']}?token=${token}&session=${env['FAIRLEAD_RUN_BRIDGE_SESSION']}`;
    const token = env['FAIRLEAD_RUN_BRIDGE_TOKEN']!;
    expect((await once(new WebSocket(address('0'.repeat(64))), 'close'))[0]).toBe(1008);
    const page = new WebSocket(address(token), { origin: 'https://example.com' });
    expect(String((await once(page, 'error'))[0])).toContain('403');
    const good = new WebSocket(address(token));
    await once(good, 'open');
    await window.terminal('Run: guarded.py').close();
    expect((await once(good, 'close'))[0]).toBe(1001);
    const after = new WebSocket(address(token));
    await Promise.race([once(after, 'error'), once(after, 'close')]);
  });

  test('without Python in the terminal: JavaScript, TypeScript and shell files run too', async () => {
    for (const [name, text] of [
      [
        'env.mjs',
        'import { renameSync, writeFileSync } from "node:fs"; const file = process.argv[1]; writeFileSync(file + ".part", JSON.stringify(process.env.FAIRLEAD_RUN_BRIDGE_ADDR)); renameSync(file + ".part", file + ".told");',
      ],
      [
        'env.ts',
        'import { renameSync, writeFileSync } from "node:fs"; const it: string | undefined = process.env.FAIRLEAD_RUN_BRIDGE_ADDR; const file = process.argv[1]!; writeFileSync(file + ".part", JSON.stringify(it)); renameSync(file + ".part", file + ".told");',
      ],
      ['env.sh', 'printf \'"%s"\' "$FAIRLEAD_RUN_BRIDGE_ADDR" > "$0.part"; mv "$0.part" "$0.told"'],
    ] as const) {
      const script = await Script.run(window, name, text);
      expect(await script.told(), name).toMatch(/^ws:\/\/127\.0\.0\.1:\d+\/$/);
    }
  });

  test('is run from the title of its editor', async () => {
    const { file } = Script.write(window, 'title.sh', 'echo "from the title"\n');
    await window.evaluate((vscode, path) => vscode.window.showTextDocument(vscode.Uri.file(path)), file);
    await window.clickEditorButton('Run File');
    const terminal = window.terminal('Run: title.sh');
    await terminal.show();
    await terminal.shows(/from the title/);
  });

  test('has its own environment when another extension runs it', async () => {
    const environment = await window.evaluate(async (vscode) => {
      const fairlead = vscode.extensions.getExtension('fairlead.fairlead')!;
      const api = (await fairlead.activate()) as FairleadApi;
      const run = await api.getRunEnvironment({ name: 'Another extension' });
      return run!.env;
    });
    const socket = new WebSocket(environment['FAIRLEAD_RUN_BRIDGE_ADDR']!, {
      headers: { authorization: `Bearer ${environment['FAIRLEAD_RUN_BRIDGE_TOKEN']}` },
    });
    await once(socket, 'open');
    socket.send(JSON.stringify({ id: 1, type: 'vscode/showMessage', params: { message: 'From elsewhere' } }));
    expect(JSON.parse(String((await once(socket, 'message'))[0]))).toMatchObject({ id: 1, success: true });
    await window.notified(/From elsewhere \(Another extension\)/);
    socket.close();
  });

  test('runs without the bridge when the setting says so', async () => {
    await window.setting('fairlead.runBridge.enabled', false);
    const script = await Script.run(
      window,
      'off.py',
      telling('[is_available(), problem(lambda: chat("x"))]', problem),
    );
    expect(await script.told()).toEqual([
      false,
      ['NotAvailableError', null, expect.stringContaining('fairlead.runBridge.enabled')],
    ]);
    await window.setting('fairlead.runBridge.enabled', true);
  });
});

describe('a script whose window is closed', windowNeeds, () => {
  const windows = useWindows();

  test('hears that nobody is there, at once', async () => {
    const window = await windows.open();
    const script = await Script.run(
      window,
      'alone.py',
      telling(
        'show_message("Anybody?")',
        'open(__file__ + ".begun", "w").close()\nwhile not os.path.exists(__file__ + ".go"): time.sleep(0.05)',
      ),
    );
    await until(() => existsSync(`${script.file}.begun`), 'the script to begin', 60_000);
    await window.leave();
    writeFileSync(`${script.file}.go`, '');
    expect(await script.told()).toMatchObject({
      error: 'NotAvailableError',
      text: expect.stringContaining('Is it still open?'),
    });
  });
});

describe('a script where no model is installed', windowNeeds, () => {
  const windows = useWindows({ settings: { 'chat.disableAIFeatures': false } });

  test('hears what is missing', async () => {
    const window = await windows.open();
    const script = await Script.run(window, 'nobody.py', telling('chat("hello")'));
    expect(await script.told()).toMatchObject({
      error: 'NoModelError',
      text: expect.stringContaining('Install'),
    });
  });
});
