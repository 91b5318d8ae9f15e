/** A request that cannot be met, by the reason a caller can act on. The message says the remedy. */
export type GatewayErrorCode =
  | 'not-found'
  | 'bad-request'
  /** The session is not in a state that allows it. */
  | 'wrong-state'
  /** The id or key is in use for something else. */
  | 'conflict'
  /** An idempotency key came with another body. */
  | 'key-reused'
  | 'limit-reached'
  | 'not-allowed'
  /** A driver cannot work on this machine, or a sandbox did not start. */
  | 'runtime-failed'
  /** The gateway cannot record what is asked for: its disk is full, for instance. */
  | 'store-failed'
  | 'shutting-down';

export class GatewayError extends Error {
  override name = 'GatewayError';
  readonly code: GatewayErrorCode;

  constructor(code: GatewayErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
