import type { BridgeErrorCode } from '@fairlead/protocol';
import { type Refused, refusalText } from '../consent/consent.ts';

/** Why a request to the editor has no result: the code for programs, the message for people and agents. */
export class RequestError extends Error {
  readonly code: BridgeErrorCode;

  constructor(code: BridgeErrorCode, message: string) {
    super(message);
    this.name = 'RequestError';
    this.code = code;
  }
}

export function refusalError(refused: Refused): RequestError {
  const codes = {
    rejected: 'rejected',
    denied: 'denied',
    expired: 'timeout',
    cancelled: 'cancelled',
  } as const;
  return new RequestError(codes[refused.kind], refusalText(refused));
}

/** What went wrong elsewhere, as an error of the request. */
export function asRequestError(error: unknown): RequestError {
  if (error instanceof RequestError) return error;
  return new RequestError('failed', error instanceof Error ? error.message : String(error));
}
