import { type BridgeErrorCode as WireCode, describeIssues } from '@fairlead/protocol';

/** Those of the window, and those of the way to it. */
export type BridgeErrorCode =
  | WireCode
  /** There is no window: not started from VS Code, or the bridge is not allowed. */
  | 'not_available'
  /** The connection was lost, or closed, before the reply came. */
  | 'closed'
  /** The window answered with something that this client does not know. */
  | 'bad_reply';

/** Every failure of the bridge; the message says what to do. */
export class BridgeError extends Error {
  override name = 'BridgeError';
  readonly code: BridgeErrorCode;

  constructor(code: BridgeErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}

const startAgain = 'Start the script again with "Fairlead: Run File".';

export function refused(reason: string): BridgeError {
  const detail = reason === '' ? '' : ` (${reason})`;
  return new BridgeError(
    'not_available',
    `The VS Code window does not accept the token of this run${detail}: the run has ended, or the bridge was turned off. ${startAgain}`,
  );
}

export function notABridge(address: string, detail: string): BridgeError {
  return new BridgeError(
    'not_available',
    `What listens at ${address} is not the bridge of a VS Code window: ${detail}. ${startAgain}`,
  );
}

export function unreachable(address: string, cause: Error): BridgeError {
  const message = `Cannot reach the VS Code window at ${address}: ${cause.message}. Is it still open? ${startAgain}`;
  return new BridgeError('not_available', message, cause);
}

export function lost(address: string, cause: Error, seconds: number): BridgeError {
  const message =
    `The connection to the VS Code window at ${address} was lost and did not come back within ${seconds} s: ` +
    `${cause.message}. Open the window and start the script again.`;
  return new BridgeError('closed', message, cause);
}

export function notBack(address: string, cause: Error): BridgeError {
  const message =
    `The connection to the VS Code window at ${address} was lost and is not back yet: ${cause.message}. ` +
    'Is the window still open? If not, open it and start the script again.';
  return new BridgeError('closed', message, cause);
}

export function notUnderstood(reason: string): BridgeError {
  return new BridgeError(
    'closed',
    `The VS Code window and this program do not understand each other: ${reason || 'a message was not valid'}. Update the Fairlead extension and @fairlead/client.`,
  );
}

export function unknownOutcome(type: string): BridgeError {
  return new BridgeError(
    'closed',
    `The VS Code window was reloaded while it worked on ${type}; whether it was done is not known. Look, and send it again if it was not.`,
  );
}

export function timedOut(type: string, timeoutMs: number): BridgeError {
  return new BridgeError(
    'timeout',
    `VS Code did not answer ${type} within ${timeoutMs / 1000} s. Give it more time with timeoutMs.`,
  );
}

export function closedHere(): BridgeError {
  return new BridgeError(
    'closed',
    'The bridge was closed before VS Code replied. Keep it open while requests are under way.',
  );
}

export function badReply(type: string, problem: Parameters<typeof describeIssues>[0]): string {
  return `The reply to ${type} is not one that this client knows (${describeIssues(problem)}). Update @fairlead/client.`;
}
