import * as vscode from 'vscode';
import { plainText } from '../consent/plain-text.ts';
import type { Kept } from '../kept.ts';
import type { Agent } from '../sessions/agent.ts';
import type { Credential } from './gateway-link.ts';
import type { GatewayStore } from './gateway-store.ts';
import { askForGateway, confirmPairing } from './sign-in.ts';
import { parsePairing } from './sign-in-input.ts';
import { connectionLine } from './connection-line.ts';
import {
  ConnectFailure,
  ConnectGivenUp,
  type ConnectionState,
  type WindowConnection,
} from './window-connection.ts';

export interface ConnectCommandsParts {
  connection: WindowConnection;
  store: GatewayStore;
  /** The user's choice that this workspace connects by itself when it is opened. */
  reconnects: Kept;
  agents(): Agent[];
  showLog(): void;
}

/** What the user does about the connection: every failure comes with a button that does something about it. */
export class ConnectCommands {
  readonly #parts: ConnectCommandsParts;

  constructor(parts: ConnectCommandsParts) {
    this.#parts = parts;
  }

  async connect(): Promise<void> {
    const { connection, store } = this.#parts;
    if (connection.state.kind === 'connected') return this.#tellConnected();
    if (connection.state.kind !== 'off') return this.#tellTrying(connection.state);
    if (!(await hasFolder())) return;
    const stored = await store.load();
    if (stored === undefined) return this.signIn();
    await this.#tryConnect(stored.url, { key: stored.key });
  }

  /** With another gateway or another key than before. */
  async signIn(): Promise<void> {
    if (!(await hasFolder())) return;
    const stored = await this.#parts.store.load();
    const chosen = await askForGateway(stored?.url);
    if (chosen !== undefined) await this.#tryConnect(chosen.url, chosen.credential);
  }

  async signOut(): Promise<void> {
    await this.disconnect();
    await this.#parts.store.forget();
    void vscode.window.showInformationMessage('Fairlead has forgotten the gateway and its key.');
  }

  /** A link `vscode://fairlead.fairlead/connect?url=…&code=…` was opened. */
  async openLink(query: string): Promise<void> {
    const input = parsePairing(new URLSearchParams(query));
    if (input.kind !== 'pairing') {
      const problem = input.kind === 'wrong' ? input.problem : 'The link has no pairing code';
      return offer(vscode.window.showErrorMessage(problem, signIn), { [signIn]: () => this.signIn() });
    }
    if (!(await hasFolder()) || !(await confirmPairing(input.url))) return;
    await this.#tryConnect(input.url, { code: input.code });
  }

  /** When the window opens, if the user chose so for this workspace: nobody is bothered with what goes wrong. */
  async reconnect(): Promise<void> {
    const { connection, store } = this.#parts;
    const stored = await store.load();
    if (stored === undefined) return;
    await connection
      .connect(stored.url, { key: stored.key }, { keepsTrying: true })
      .catch((error: unknown) => this.#tellFailure(stored.url, { key: stored.key }, error));
  }

  /** When the window opens a moment after it was closed with agents at work in it. */
  async offerReconnect(names: string[]): Promise<void> {
    const [reconnect, always] = ['Reconnect', 'Always Reconnect'];
    const who = names.map(plainText).join(', ');
    const message = `This window was connected, and ${who} may still be waiting for it.`;
    await offer(vscode.window.showInformationMessage(message, reconnect, always), {
      [reconnect]: () => this.connect(),
      [always]: async () => {
        this.#parts.reconnects.set(true);
        await this.connect();
      },
    });
  }

  async disconnect(): Promise<void> {
    await this.#parts.connection.disconnect('The user disconnected the window');
  }

  async toggleReconnect(): Promise<void> {
    const { reconnects } = this.#parts;
    const isOn = reconnects.get() === true;
    reconnects.set(!isOn);
    void vscode.window.showInformationMessage(
      isOn
        ? 'This workspace no longer connects by itself.'
        : 'This workspace connects by itself whenever you open it.',
    );
  }

  /** The gateway closed a connection that it had welcomed. */
  onRefused(url: string, detail: string): void {
    void this.#tellFailure(
      url,
      undefined,
      new ConnectFailure(`${url} closed the connection: ${detail}`, true),
    );
  }

  async #tryConnect(url: string, credential: Credential): Promise<void> {
    if (!(await this.#mayLeaveAgents())) return;
    try {
      await vscode.window.withProgress(
        { location: vscode.ProgressLocation.Notification, title: `Connecting to ${url} …` },
        () => this.#parts.connection.connect(url, credential),
      );
      this.#tellConnected();
    } catch (error) {
      await this.#tellFailure(url, credential, error);
    }
  }

  /** Whoever connects elsewhere ends what agents do here. */
  async #mayLeaveAgents(): Promise<boolean> {
    const names = this.#parts.agents().map(({ name }) => plainText(name));
    if (names.length === 0) return true;
    const go = 'Connect and End Their Sessions';
    const message = `${names.join(', ')} ${names.length === 1 ? 'works' : 'work'} in this window by its present connection.`;
    return (await vscode.window.showWarningMessage(message, { modal: true }, go)) === go;
  }

  /** Nothing needs to be done, and a new connection would end the sessions that wait for the old. */
  #tellTrying(state: ConnectionState): void {
    const stop = 'Disconnect';
    void offer(vscode.window.showInformationMessage(plainText(connectionLine(state)), stop, showLog), {
      [stop]: () => this.disconnect(),
      [showLog]: () => this.#parts.showLog(),
    });
  }

  #tellConnected(): void {
    const { connection, reconnects } = this.#parts;
    const { state } = connection;
    if (state.kind !== 'connected') return;
    const always = 'Always Reconnect';
    const isAlways = reconnects.get() === true;
    const message = `Connected to ${state.url}. Agents of ${plainText(state.owner)} can now work in this window.`;
    void offer(vscode.window.showInformationMessage(message, ...(isAlways ? [] : [always])), {
      [always]: () => this.toggleReconnect(),
    });
  }

  async #tellFailure(url: string, credential: Credential | undefined, error: unknown): Promise<void> {
    // It was the user's own wish.
    if (error instanceof ConnectGivenUp) return;
    const again = 'Try Again';
    // A pairing code that was refused stays refused.
    const canRepeat = !(error instanceof ConnectFailure && error.isRefusal) || credential === undefined;
    const first = canRepeat ? again : signIn;
    const message = plainText(error instanceof Error ? error.message : String(error));
    await offer(vscode.window.showErrorMessage(message, first, ...(canRepeat ? [signIn] : []), showLog), {
      [again]: () => (credential === undefined ? this.connect() : this.#tryConnect(url, credential)),
      [signIn]: () => this.signIn(),
      [showLog]: () => this.#parts.showLog(),
    });
  }
}

const signIn = 'Sign In';
const showLog = 'Show Log';

async function offer(
  shown: Thenable<string | undefined>,
  does: Record<string, () => Promise<void> | void>,
): Promise<void> {
  const choice = await shown;
  if (choice !== undefined) await does[choice]?.();
}

/** An agent needs a place to work. */
async function hasFolder(): Promise<boolean> {
  if ((vscode.workspace.workspaceFolders ?? []).length > 0) return true;
  const open = 'Open Folder';
  void offer(vscode.window.showErrorMessage('Open the folder that agents shall work in first.', open), {
    [open]: () => void vscode.commands.executeCommand('workbench.action.files.openFolder'),
  });
  return false;
}
