/** One thing an agent sends, and what it must get back. */
export interface Step {
  /** A command; `@SHELL@` stands for the directory of the shell's own files. */
  run?: string;
  /** Text, or a key such as `C-c`, for what is running. */
  input?: string;
  timeout?: number;
  blocking?: boolean;
  hidden?: boolean;
  static?: boolean;
  cwd?: string;
  /** Ask for more output until this is in it: for programs that need a moment to say something. */
  until?: RegExp;
  /** Exit code 0, no prefix and the completed suffix unless said otherwise; content is compared when given. */
  expect?: Expectation;
}

export interface Expectation {
  content?: string | RegExp;
  exitCode?: number;
  prefix?: string | RegExp;
  suffix?: string | RegExp;
  cwd?: string | RegExp;
  /** An `error` observation with this text, instead of a `run` observation. */
  error?: string | RegExp;
}

export interface Case {
  name: string;
  steps: Step[];
  tags?: string[];
}

/** A case that also must print and return what `bash -c` does. */
export interface PlainCase {
  name: string;
  command: string;
}
