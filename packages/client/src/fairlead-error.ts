/** What a caller can act on; the message says what happened and, where it is known, the remedy. */
export type FairleadErrorCode =
  /** No answer: the gateway is not there, or the connection broke. */
  | 'unreachable'
  | 'unauthorized'
  | 'not-allowed'
  | 'not-found'
  | 'bad-request'
  /** The session is in another state, or the id is in use. */
  | 'conflict'
  | 'limit-reached'
  /** The gateway cannot do it now. */
  | 'unavailable'
  | 'failed'
  /** The answer is not one that this client knows. */
  | 'bad-answer'
  /** The action was answered by an `error` observation. */
  | 'action-failed';

export class FairleadError extends Error {
  override name = 'FairleadError';
  readonly code: FairleadErrorCode;
  /** The HTTP status; null when there was no answer. */
  readonly status: number | null;

  constructor(code: FairleadErrorCode, message: string, status: number | null = null, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.status = status;
  }

  static fromStatus(status: number, detail: string): FairleadError {
    return new FairleadError(codeOf(status), detail, status);
  }
}

/** What is not here is the fault of the request below 500, and the gateway's from there on. */
const codes: Record<number, FairleadErrorCode> = {
  401: 'unauthorized',
  403: 'not-allowed',
  404: 'not-found',
  409: 'conflict',
  429: 'limit-reached',
  503: 'unavailable',
};

function codeOf(status: number): FairleadErrorCode {
  return codes[status] ?? (status >= 500 ? 'failed' : 'bad-request');
}
