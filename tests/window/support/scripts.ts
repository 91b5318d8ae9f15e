import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../../gateway/support/wait.ts';
import type { VscodeWindow } from './vscode-window.ts';

const stepTimeoutMs = 60_000;

/** A program that a person runs from the window, and what it found out. */
export class Script {
  readonly file: string;
  readonly #name: string;

  private constructor(file: string, name: string) {
    this.file = file;
    this.#name = name;
  }

  /** By "Fairlead: Run File" on the file. */
  static async run(window: VscodeWindow, name: string, text: string): Promise<Script> {
    const script = Script.write(window, name, text);
    await window.evaluate(
      (vscode, path) => vscode.commands.executeCommand('fairlead.runFile', vscode.Uri.file(path)),
      script.file,
    );
    return script;
  }

  static write(window: VscodeWindow, name: string, text: string): Script {
    const file = join(window.path, name);
    writeFileSync(file, text);
    return new Script(file, name);
  }

  /** The value that it tells, when it does. */
  async told(): Promise<unknown> {
    const told = `${this.file}.told`;
    const isThere = () => existsSync(told);
    await until(isThere, `${this.#name} to tell something`, stepTimeoutMs);
    return JSON.parse(readFileSync(told, 'utf8')) as unknown;
  }
}

/** Python that tells the value of an expression, or the class and code of the error that came instead. */
export function telling(expression: string, before = ''): string {
  return `import json, os, sys, time
import vscode_bridge
from vscode_bridge import *
${before}
try:
    value = ${expression}
except RuntimeError as error:
    value = {"error": type(error).__name__, "text": str(error)}
with open(__file__ + ".part", "w") as file:
    json.dump(value, file)
os.rename(__file__ + ".part", __file__ + ".told")
print("told", value)
`;
}
