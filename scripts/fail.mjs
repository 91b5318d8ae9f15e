/** A failure the user can act on: shown as its message, never as a stack trace. */
export class UserError extends Error {
  constructor(message, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Runs a script's main function and turns what it throws into a message and an exit code. */
export async function runMain(main) {
  try {
    process.exitCode = (await main(process.argv.slice(2))) ?? 0;
  } catch (error) {
    process.stderr.write(
      `${error instanceof UserError ? error.message : `Unexpected failure: ${error?.stack ?? error}`}\n`,
    );
    process.exitCode = error.exitCode ?? 1;
  }
}
