import { HttpError } from '@fairlead/http';
import { toFailure } from './failure.ts';

export interface Refusal {
  status: number;
  detail: string;
}

/** For where an answer has no status of its own. What is no refusal but a fault goes to the log. */
export function refusalOf(error: unknown, log: (line: string) => void): Refusal {
  const failure = toFailure(error);
  if (failure instanceof HttpError) {
    const { errors } = failure.fields;
    const detail = typeof errors === 'string' ? `${failure.message}: ${errors}` : failure.message;
    return { status: failure.status, detail };
  }
  log(`failed: ${error instanceof Error ? error.message : String(error)}`);
  return { status: 500, detail: 'An unexpected error occurred. Please try again later.' };
}
