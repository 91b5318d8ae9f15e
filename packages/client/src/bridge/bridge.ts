import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { resolve as absolute } from 'node:path';
import {
  type EditorParamsInput,
  type EditorRequestType,
  editorRequests,
  type EditorResult,
} from '@fairlead/protocol';
import { badReply, BridgeError } from './bridge-error.ts';
import { openChatStream, type ChatStream } from './chat-stream.ts';
import { Connection } from './connection.ts';
import { type BridgeEndpoint, findEndpoint } from './endpoint.ts';

export interface RequestOptions {
  /** How long to wait for the reply; null is as long as it takes. */
  timeoutMs?: number | null | undefined;
  /** Cancels the request in the window too. */
  signal?: AbortSignal | undefined;
}

type Params<Type extends EditorRequestType> = Omit<EditorParamsInput<Type>, 'timeout'>;
export type ChatOptions = RequestOptions & Omit<Params<'vscode/chat'>, 'message' | 'stream'>;
export type MessageOptions = RequestOptions & Omit<Params<'vscode/showMessage'>, 'message'>;
export type AskOptions = RequestOptions &
  Pick<Params<'vscode/ask'>, 'choices' | 'placeholder' | 'password'> & { default?: string | undefined };
export type OpenFileOptions = RequestOptions & Omit<Params<'vscode/openFile'>, 'path'>;
export type ShowDiffOptions = RequestOptions & Omit<Params<'vscode/showDiff'>, 'left' | 'right'>;
export type DiffSide = string | { text: string; name?: string };
export type DiagnosticsOptions = RequestOptions & Params<'vscode/diagnostics'>;
export type Diagnostic = EditorResult<'vscode/diagnostics'>['diagnostics'][number];

export interface Progress {
  /** `percent` is from 0 to 100. Answers whether the user has cancelled. */
  report(state: { message?: string; percent?: number }): Promise<boolean>;
}

export type Bridge = ReturnType<typeof createBridge>;

const quickMs = 30_000;
/** The user may have to consent to it first. */
const commandMs = 120_000;
const longestMs = 86_400_000;
/** To take a notification away is worth no more of the caller's time. */
const farewellMs = 2_000;
/** Done twice these are another thing than done once, so a window that was reloaded is not asked again. */
const once = new Set<EditorRequestType>(['vscode/chat', 'vscode/executeCommand', 'vscode/rename']);

/** The window that this program was started from; the first request opens the connection. */
export function createBridge(endpoint?: BridgeEndpoint, options: { reconnectMs?: number } = {}) {
  let opened: Connection | undefined;
  const connection = () => (opened ??= new Connection(endpoint ?? findEndpoint(), options.reconnectMs));

  async function send<Type extends EditorRequestType>(
    type: Type,
    params: Params<Type>,
    { timeoutMs, signal }: RequestOptions,
    onPart?: (text: string) => void,
  ): Promise<EditorResult<Type>> {
    const isRepeatable = !once.has(type);
    const request = { type, params, timeoutMs: timeoutMs ?? undefined, signal, onPart, isRepeatable };
    const result = editorRequests[type].result.safeParse(await connection().send(request));
    if (!result.success) throw new BridgeError('bad_reply', badReply(type, result.error));
    return result.data as EditorResult<Type>;
  }

  /** Any request that the window knows, such as `vscode/symbols`. */
  function request<Type extends EditorRequestType>(
    type: Type,
    params: Params<Type>,
    { timeoutMs = quickMs, signal }: RequestOptions = {},
  ): Promise<EditorResult<Type>> {
    return send(type, params, { timeoutMs: timeoutMs ?? longestMs, signal });
  }

  /** Whether there is a window, and it answers. */
  async function isAvailable(): Promise<boolean> {
    try {
      await connection().probe();
      return true;
    } catch {
      return false;
    }
  }

  /** Asks a language model of the editor; with `conversationId` it goes on with an earlier conversation. */
  function chat(message: string, options: ChatOptions = {}): Promise<EditorResult<'vscode/chat'>> {
    const { timeoutMs, signal, ...params } = options;
    return request('vscode/chat', { message, ...params }, { timeoutMs, signal });
  }

  /** `chat` piece by piece, while the model speaks. To leave the loop cancels it. */
  function chatStream(message: string, options: ChatOptions = {}): ChatStream {
    const { timeoutMs = quickMs, signal, ...params } = options;
    return openChatStream(signal, (onPart, signal) =>
      send(
        'vscode/chat',
        { message, stream: true, ...params },
        { timeoutMs: timeoutMs ?? longestMs, signal },
        onPart,
      ),
    );
  }

  /** The last messages of a conversation, oldest first. */
  async function getChatHistory(conversationId: string, limit = 10, options: RequestOptions = {}) {
    const { messages } = await request('vscode/getChatHistory', { conversationId, limit }, options);
    return messages;
  }

  /** Runs a command of VS Code; `vscodeValues` makes arguments such as a `Uri`. */
  async function executeCommand(command: string, args: unknown[] = [], options: RequestOptions = {}) {
    const { timeoutMs = commandMs, signal } = options;
    const { result } = await request('vscode/executeCommand', { command, args }, { timeoutMs, signal });
    return result;
  }

  /** Shows a notification. With buttons it waits for the user: the label that was pressed, null when it was closed. */
  async function showMessage(message: string, options: MessageOptions = {}): Promise<string | null> {
    const { timeoutMs, signal, ...params } = options;
    const waitsForUser = params.modal === true || (params.buttons?.length ?? 0) > 0;
    const limit = { timeoutMs: timeoutMs === undefined && !waitsForUser ? quickMs : timeoutMs, signal };
    return (await send('vscode/showMessage', { message, ...params }, limit)).button;
  }

  /** Asks for a text, or for one of the choices; null when it was dismissed. When the time is over the default is the answer. */
  function ask(message: string, options: AskOptions = {}): Promise<string | null> {
    const { timeoutMs, signal, ...params } = options;
    return question({ message, ...params }, { timeoutMs, signal }) as Promise<string | null>;
  }

  /** Asks for several of the choices. */
  function askMany(
    message: string,
    choices: NonNullable<AskOptions['choices']>,
    options: RequestOptions & { placeholder?: string; default?: string[] } = {},
  ): Promise<string[] | null> {
    const { timeoutMs, signal, ...params } = options;
    const asked = { message, kind: 'multiPick' as const, choices, ...params };
    return question(asked, { timeoutMs, signal }) as Promise<string[] | null>;
  }

  /** Asks to say yes or no. A question that was dismissed is a no. */
  async function confirm(
    message: string,
    options: RequestOptions & { default?: boolean } = {},
  ): Promise<boolean> {
    const { timeoutMs, signal, ...params } = options;
    return (await question({ message, kind: 'confirm', ...params }, { timeoutMs, signal })) === true;
  }

  /** With its id a question is one question, however often it has to be sent. */
  async function question(params: Params<'vscode/ask'>, options: RequestOptions) {
    return (await send('vscode/ask', { questionId: randomUUID(), ...params }, options)).answer;
  }

  /** Shows a file in an editor tab. */
  function openFile(path: string, options: OpenFileOptions = {}): Promise<EditorResult<'vscode/openFile'>> {
    const { timeoutMs, signal, ...params } = options;
    return request('vscode/openFile', { path: namedHere(path), ...params }, { timeoutMs, signal });
  }

  /** Shows two files, or texts, side by side. */
  async function showDiff(left: DiffSide, right: DiffSide, options: ShowDiffOptions = {}): Promise<string> {
    const { timeoutMs, signal, ...params } = options;
    const sides = { left: sideOf(left), right: sideOf(right) };
    return (await request('vscode/showDiff', { ...sides, ...params }, { timeoutMs, signal })).title;
  }

  /** The problems VS Code knows of, in one file (`path`) or in all. */
  async function diagnostics(options: DiagnosticsOptions = {}): Promise<Diagnostic[]> {
    const { timeoutMs, signal, path, ...params } = options;
    const file = path === undefined ? {} : { path: namedHere(path) };
    return (await request('vscode/diagnostics', { ...file, ...params }, { timeoutMs, signal })).diagnostics;
  }

  /** Shows how far the work is, until it is over. */
  async function withProgress<Result>(
    title: string,
    work: (progress: Progress) => Promise<Result>,
    { cancellable = false }: { cancellable?: boolean } = {},
  ): Promise<Result> {
    // With all of it every time, a window that was reloaded in between shows it again.
    const shown = { progressId: randomUUID(), title, cancellable };
    const tell = (state: { message?: string; percent?: number; done?: boolean }, timeoutMs = quickMs) =>
      request('vscode/progress', { ...shown, ...state }, { timeoutMs });
    await tell({});
    try {
      return await work({ report: async (state) => (await tell(state)).isCancelled });
    } finally {
      // What the work came to matters more than whether the window still hears of it.
      await tell({ done: true }, farewellMs).catch(() => undefined);
    }
  }

  /** Not needed at the end of a program: the connection does not keep it alive. */
  function close(): void {
    opened?.close();
    opened = undefined;
  }

  return {
    ask,
    askMany,
    chat,
    close,
    confirm,
    diagnostics,
    executeCommand,
    getChatHistory,
    isAvailable,
    openFile,
    request,
    showDiff,
    showMessage,
    chatStream,
    withProgress,
  };
}

/** A file that is there as seen from the script is meant as such; any other path is one of the workspace. */
function namedHere(path: string): string {
  return existsSync(path) ? absolute(path) : path;
}

function sideOf(side: DiffSide) {
  return typeof side === 'string' ? { path: namedHere(side) } : side;
}
