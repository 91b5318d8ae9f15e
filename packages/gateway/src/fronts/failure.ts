import { HttpError } from '@fairlead/http';
import { GatewayError, type GatewayErrorCode } from '../gateway-error.ts';
import { sessionNotFound } from './session-access.ts';

const statusByCode: Record<GatewayErrorCode, number> = {
  'not-found': 404,
  'bad-request': 400,
  'wrong-state': 409,
  conflict: 409,
  'key-reused': 422,
  'limit-reached': 429,
  'not-allowed': 403,
  'runtime-failed': 502,
  'store-failed': 507,
  'shutting-down': 503,
};

const retryAfterSeconds: Partial<Record<GatewayErrorCode, number>> = {
  'limit-reached': 30,
  'shutting-down': 5,
};

/** What the gateway refused, as an answer; anything else is passed on. */
export function toFailure(error: unknown): unknown {
  if (!(error instanceof GatewayError)) return error;
  if (error.code === 'not-found') return sessionNotFound();
  const seconds = retryAfterSeconds[error.code];
  const headers: Record<string, string> = seconds === undefined ? {} : { 'retry-after': String(seconds) };
  return new HttpError(statusByCode[error.code], error.message, {}, headers);
}

/** Stock OpenHands clients resume a runtime that answers 503, and give up on a 409. */
export function toRuntimeFailure(error: unknown): unknown {
  if (!(error instanceof GatewayError) || error.code !== 'wrong-state') return toFailure(error);
  return new HttpError(503, error.message, {}, { 'retry-after': '5' });
}
