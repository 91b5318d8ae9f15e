import { createBridge } from './bridge.ts';

export {
  type AskOptions,
  type Bridge,
  type ChatOptions,
  createBridge,
  type Diagnostic,
  type DiagnosticsOptions,
  type DiffSide,
  type MessageOptions,
  type OpenFileOptions,
  type Progress,
  type RequestOptions,
  type ShowDiffOptions,
} from './bridge.ts';
export { BridgeError, type BridgeErrorCode } from './bridge-error.ts';
export type { ChatStream } from './chat-stream.ts';
export type { BridgeEndpoint } from './endpoint.ts';
export { vscodeValues } from './values.ts';

/** These talk to the window that the environment of this program names. */
export const {
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
} = createBridge();
