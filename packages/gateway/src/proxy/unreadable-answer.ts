/** What came from the server is not an answer. */
export class UnreadableAnswer extends Error {
  constructor(status: number | undefined) {
    super(`The server answered with status ${status}, which there is not`);
    this.name = 'UnreadableAnswer';
  }
}

/** Of an answer that can be passed on; parsers let any three digits through. */
export function isFinalStatus(status: number | undefined): status is number {
  return status !== undefined && status >= 200 && status <= 599;
}

/** Whether this was no HTTP, or none that was asked for; otherwise the connection has ended. */
export function isUnreadable(error: unknown): boolean {
  if (error instanceof UnreadableAnswer) return true;
  const { name, code = '', message } = error as NodeJS.ErrnoException;
  // undici's own errors of its parser have no code.
  if (code.startsWith('HPE_') || name === 'HTTPParserError') return true;
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return true;
  return code === 'UND_ERR_SOCKET' && (message === 'bad response' || message === 'bad upgrade');
}
