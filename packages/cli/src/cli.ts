/** What a command may use of its surroundings; `main` fills it from the process. */
export interface Cli {
  readonly version: string;
  readonly settings: Settings;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  /** Of the process, when the command has nothing more to say. */
  exitCode: number;
}

/** From the environment. */
export interface Settings {
  url: string | undefined;
  apiKey: string | undefined;
  stateDir: string;
  cwd: string;
  user: string;
  /** For values that should not stand in argv, such as those of `--env NAME`. */
  variable(name: string): string | undefined;
}

/** Options that every command takes. */
export interface GlobalOptions {
  gateway?: string;
  keyFile?: string;
  stateDir?: string;
  json?: boolean;
}
