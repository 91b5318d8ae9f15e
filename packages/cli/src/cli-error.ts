import { FairleadError } from '@fairlead/client';
import { type ExitCode, exitCodes } from './exit-codes.ts';

/** A failure that the user can act on: shown as one line, never as a stack trace. */
export class CliError extends Error {
  override name = 'CliError';
  readonly code: string;
  readonly exitCode: ExitCode;

  constructor(message: string, code = 'failed', exitCode: ExitCode = exitCodes.failed) {
    super(message);
    this.code = code;
    this.exitCode = exitCode;
  }
}

export function usageError(message: string): CliError {
  return new CliError(message, 'usage', exitCodes.usage);
}

/** What is told of any failure, and how the command ends. */
export function toCliError(error: unknown): CliError {
  if (error instanceof CliError) return error;
  if (error instanceof FairleadError) {
    return new CliError(withRemedy(error), error.code, exitCodeOf(error));
  }
  return new CliError(error instanceof Error ? error.message : String(error));
}

function exitCodeOf({ code }: FairleadError): ExitCode {
  if (code === 'unreachable') return exitCodes.unreachable;
  const isOwnFault = code === 'failed' || code === 'unavailable' || code === 'bad-answer';
  return isOwnFault || code === 'action-failed' ? exitCodes.failed : exitCodes.refused;
}

function withRemedy({ code, message, status }: FairleadError): string {
  const text = message.replace(/\.?$/, '');
  if (code === 'unreachable' && status === null) {
    return `${text}. Start it with "fairlead serve", or name another with --gateway URL.`;
  }
  if (code === 'unauthorized') {
    return `${text}. Check the key in FAIRLEAD_API_KEY or --key-file; "fairlead key create" makes a new one.`;
  }
  if (code === 'not-found' && text === 'Session not found') {
    return `${text}. "fairlead session list" shows yours.`;
  }
  return message;
}
