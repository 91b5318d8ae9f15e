/** What the command's end says to a script; docs/cli.md has the same table. */
export const exitCodes = {
  ok: 0,
  failed: 1,
  usage: 2,
  unreachable: 3,
  /** The gateway said no: not found, not allowed, wrong state. */
  refused: 4,
  /** Of `run`, which passes on the command's own codes. */
  timedOut: 124,
  fairleadFailed: 125,
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
