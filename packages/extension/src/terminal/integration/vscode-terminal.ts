import * as vscode from 'vscode';
import type { EditorTerminal, EditorTerminalRequest } from './editor-terminal.ts';

/** How long a shell that runs may take to begin to report. */
const integrationLimitMs = 5_000;
/** How long that may take in all: the first terminal of a window starts the host of all of them too. */
const startLimitMs = 30_000;

export interface VscodeTerminalOptions extends EditorTerminalRequest {
  name: string;
  /** On top of what VS Code gives its terminals; null takes a variable away. */
  env: Record<string, string | null>;
  isHidden: boolean;
}

/** Opens a terminal of VS Code's with the user's own shell, in the background. */
export function openVscodeTerminal(options: VscodeTerminalOptions): EditorTerminal {
  return new VscodeTerminal(options);
}

class VscodeTerminal implements EditorTerminal {
  readonly #terminal: vscode.Terminal;
  readonly #subscriptions: vscode.Disposable[];
  readonly #settled = Promise.withResolvers<void>();
  #isReady = false;
  pid = -1;

  constructor({ name, cwd, env, isHidden, events }: VscodeTerminalOptions) {
    const iconPath = new vscode.ThemeIcon('robot');
    this.#terminal = vscode.window.createTerminal({
      name,
      cwd,
      env,
      iconPath,
      isTransient: true,
      hideFromUser: isHidden,
    });
    const isOwn = ({ terminal }: { terminal: vscode.Terminal }) => terminal === this.#terminal;
    this.#subscriptions = [
      vscode.window.onDidChangeTerminalShellIntegration((event) => {
        if (isOwn(event)) this.#settle();
      }),
      vscode.window.onDidStartTerminalShellExecution((event) => {
        if (isOwn(event)) events.onStart(event.execution);
      }),
      vscode.window.onDidEndTerminalShellExecution((event) => {
        if (isOwn(event)) events.onEnd(event.execution, event.exitCode);
      }),
      vscode.window.onDidCloseTerminal((terminal) => {
        if (terminal !== this.#terminal) return;
        this.#dispose();
        events.onClosed(terminal.exitStatus?.code);
      }),
    ];
    void this.#terminal.processId.then((pid) => (this.pid = pid ?? -1));
  }

  get directory(): string | undefined {
    return this.#terminal.shellIntegration?.cwd?.fsPath;
  }

  get isIntegrated(): boolean {
    return this.#terminal.shellIntegration !== undefined;
  }

  ready(): Promise<void> {
    if (this.#isReady || this.isIntegrated) return Promise.resolve();
    const settle = () => this.#settle();
    void this.#terminal.processId.then(() => setTimeout(settle, integrationLimitMs));
    setTimeout(settle, startLimitMs);
    return this.#settled.promise;
  }

  submit(line: string): void {
    const { shellIntegration } = this.#terminal;
    if (vscode.workspace.getConfiguration('fairlead.terminal').get('reveal') === 'onRun')
      this.#terminal.show(true);
    if (shellIntegration === undefined) this.#terminal.sendText(line);
    else shellIntegration.executeCommand(line);
  }

  write(text: string): void {
    this.#terminal.sendText(text, false);
  }

  show(): void {
    this.#terminal.show(false);
  }

  close(): void {
    this.#dispose();
    this.#terminal.dispose();
  }

  #settle(): void {
    this.#isReady = true;
    this.#settled.resolve();
  }

  #dispose(): void {
    this.#settle();
    for (const subscription of this.#subscriptions) subscription.dispose();
  }
}
