import { rmSync } from 'node:fs';
import { basename, delimiter, dirname } from 'node:path';
import * as vscode from 'vscode';
import type { WindowBridge } from '../bridge/window-bridge.ts';
import { chosenPython } from './chosen-python.ts';
import { debugConfiguration } from './debug-configuration.ts';
import { type Launch, languageOf, launchOf } from './launch.ts';
import { startMark } from './start-mark.ts';

export interface RunParts {
  bridge: WindowBridge;
  /** Where the extension is installed. */
  extensionUri: vscode.Uri;
  hostEnv: Record<string, string | undefined>;
  log(line: string): void;
}

const runKey = 'fairleadRunId';
/** A debug session that is restarted ends before it begins again. */
const restartMs = 3_000;

/** "Run File" and "Debug File". */
export class RunCommands implements vscode.Disposable {
  readonly #parts: RunParts;
  readonly #runs = new Map<vscode.Terminal, string>();
  readonly #disposable: vscode.Disposable;

  constructor(parts: RunParts) {
    this.#parts = parts;
    this.#disposable = vscode.Disposable.from(
      vscode.window.onDidCloseTerminal((terminal) => void this.#closed(terminal)),
      vscode.debug.onDidTerminateDebugSession((session) => this.#terminated(session)),
    );
  }

  async runFile(given: unknown): Promise<void> {
    const file = await savedFile(given);
    const language = file && languageOf(file.fsPath);
    if (file === undefined || language === undefined) return tellKinds();
    const path = this.#parts.hostEnv['PATH'] ?? this.#parts.hostEnv['Path'] ?? '';
    const python = language === 'python' ? await chosenPython(file) : undefined;
    const launch = await launchOf(file.fsPath, language, { chosenPython: python, path });
    if (launch.kind === 'missing') return void vscode.window.showErrorMessage(launch.problem);
    await this.#openTerminal(file, launch).catch(tellProblem);
  }

  async debugFile(given: unknown): Promise<void> {
    const file = await savedFile(given);
    if (file === undefined) return tellKinds();
    const document = await vscode.workspace.openTextDocument(file);
    const configuration = debugConfiguration(document, vscode.extensions.all);
    if (configuration === undefined) {
      const text = `No installed extension can debug ${document.languageId}. Install one, or use "Fairlead: Run File".`;
      return void vscode.window.showErrorMessage(text);
    }
    await this.#startDebugging(file, configuration).catch(tellProblem);
  }

  dispose(): void {
    this.#disposable.dispose();
  }

  async #startDebugging(file: vscode.Uri, configuration: vscode.DebugConfiguration): Promise<void> {
    const run = await this.#parts.bridge.begin(basename(file.fsPath));
    const folder = vscode.workspace.getWorkspaceFolder(file);
    const env = { ...configuration['env'], ...this.#environment(run?.env) };
    let isStarted = false;
    try {
      isStarted = await vscode.debug.startDebugging(folder, { ...configuration, env, [runKey]: run?.id });
    } finally {
      if (!isStarted) run?.end();
    }
  }

  /** A process of its own and no text typed into a shell: nothing to quote, and its end is known. */
  async #openTerminal(file: vscode.Uri, launch: Extract<Launch, { kind: 'launch' }>): Promise<void> {
    const name = basename(file.fsPath);
    const { bridge, extensionUri, log } = this.#parts;
    const run = await bridge.begin(name);
    const runner = vscode.Uri.joinPath(extensionUri, 'dist', 'run-program.cjs').fsPath;
    const folder = vscode.workspace.getWorkspaceFolder(file)?.uri.fsPath ?? dirname(file.fsPath);
    const mark = startMark();
    let terminal: vscode.Terminal;
    try {
      terminal = vscode.window.createTerminal({
        name: `Run: ${name}`,
        iconPath: new vscode.ThemeIcon('play'),
        cwd: folder,
        shellPath: process.execPath,
        shellArgs: [runner, mark, launch.program, ...launch.args],
        env: { ...this.#environment(run?.env), ELECTRON_RUN_AS_NODE: '1' },
      });
    } catch (error) {
      run?.end();
      rmSync(mark, { recursive: true, force: true });
      throw error;
    }
    terminal.show(true);
    if (run === undefined) return;
    this.#runs.set(terminal, run.id);
    const pid = await terminal.processId;
    if (pid !== undefined) run.setProcess(pid);
    log(`${name} runs with the bridge as ${run.id}, process ${pid}`);
  }

  /** Python finds the bridge without having it installed; switched off, it says so itself. */
  #environment(run: Record<string, string> = {}): Record<string, string> {
    const { extensionUri, hostEnv } = this.#parts;
    const modules = vscode.Uri.joinPath(extensionUri, 'python').fsPath;
    const earlier = hostEnv['PYTHONPATH'];
    return { ...run, PYTHONPATH: earlier === undefined ? modules : `${modules}${delimiter}${earlier}` };
  }

  /** A window that reloads closes its terminals too, but not what runs in them: then the process tells when it is over. */
  async #closed(terminal: vscode.Terminal): Promise<void> {
    const reason = terminal.exitStatus?.reason ?? vscode.TerminalExitReason.Unknown;
    if (reason === vscode.TerminalExitReason.Shutdown || reason === vscode.TerminalExitReason.Unknown) return;
    const runId = this.#runs.get(terminal);
    this.#runs.delete(terminal);
    if (runId !== undefined) return this.#parts.bridge.end(runId);
    const pid = await terminal.processId;
    if (pid !== undefined) this.#parts.bridge.endOfProcess(pid);
  }

  #terminated({ configuration }: vscode.DebugSession): void {
    const runId: unknown = configuration[runKey];
    if (typeof runId !== 'string') return;
    const end = setTimeout(() => {
      restarted.dispose();
      this.#parts.bridge.end(runId);
    }, restartMs);
    const restarted = vscode.debug.onDidStartDebugSession((session) => {
      if (session.configuration[runKey] !== runId) return;
      clearTimeout(end);
      restarted.dispose();
    });
  }
}

/** What the menu gives, else the file in the active editor; on disk as it is shown. */
async function savedFile(given: unknown): Promise<vscode.Uri | undefined> {
  const uri = given instanceof vscode.Uri ? given : vscode.window.activeTextEditor?.document.uri;
  if (uri?.scheme !== 'file') return undefined;
  const open = vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri.toString());
  return open?.isDirty === true && !(await open.save()) ? undefined : uri;
}

function tellKinds(): void {
  const text =
    'Open a saved Python, JavaScript, TypeScript or shell file first, or choose one in the explorer.';
  void vscode.window.showErrorMessage(text);
}

function tellProblem(error: Error): void {
  void vscode.window.showErrorMessage(`The program was not started: ${error.message}`);
}
