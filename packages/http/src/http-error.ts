/** A request that is refused: the status, and a `detail` that says what to mend. */
export class HttpError extends Error {
  readonly status: number;
  /** Fields beside `detail`. */
  readonly fields: Record<string, unknown>;
  readonly headers: Record<string, string>;

  constructor(
    status: number,
    detail: string,
    fields: Record<string, unknown> = {},
    headers: Record<string, string> = {},
  ) {
    super(detail);
    this.name = 'HttpError';
    this.status = status;
    this.fields = fields;
    this.headers = headers;
  }
}

/** The contract's shape for a body or query that does not fit: `errors` is text. */
export function invalidRequest(errors: string): HttpError {
  return new HttpError(422, 'Invalid request parameters', { errors });
}
