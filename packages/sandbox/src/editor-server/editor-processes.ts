import { rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { ProcessScope, type ShellUser } from '@fairlead/executor';
import { connectionToken } from './connection-token.ts';
import { editorArguments, openSocket } from './editor-arguments.ts';
import { editorEnvironment } from './editor-environment.ts';
import { type EditorFiles, editorFiles, settingsFile } from './editor-files.ts';
import { launchCommand } from './editor-launch.ts';
import { type EditorLife, startLife } from './editor-life.ts';
import type { EditorProgram } from './editor-program.ts';
import { editorScope } from './editor-scope.ts';
import { editorSettings } from './editor-settings.ts';

export interface ProcessOptions {
  /** Where the editor listens, for its owner only. */
  socket: string;
  sessionDir: string;
  workspace: string;
  /** That of the shells. */
  env: Record<string, string>;
  home: string;
  /** Whose shells these are; the server's own user when absent. */
  user: ShellUser | undefined;
  /** The folder of the extension that it comes with. */
  extension: string | undefined;
}

const endTimeoutMs = 2_000;

/** All processes of a session's editor, down to what was started in its terminals. */
export class EditorProcesses {
  readonly files: EditorFiles;
  readonly #options: ProcessOptions;
  #scope: ProcessScope;

  constructor(options: ProcessOptions) {
    this.#options = options;
    this.files = editorFiles(options.home);
    this.#scope = openScope(options);
  }

  /** There must be none left of an earlier one. */
  launch({ kind, command }: EditorProgram): EditorLife {
    const { files } = this;
    const { socket, sessionDir, workspace, env, user, extension } = this.#options;
    // Its control group went with the one before.
    this.#scope = openScope(this.#options);
    return startLife({
      command: launchCommand({
        command: [...command, ...editorArguments(kind, { files, socket, folder: workspace })],
        joinFile: this.#scope.joinFile,
        user,
        files,
        settings: { file: settingsFile(files, kind), content: editorSettings },
        extension,
      }),
      cwd: workspace,
      env: { ...editorEnvironment(env, user), ...this.#scope.environment },
      input: `${connectionToken(sessionDir)}\n`,
    });
  }

  /** The editor is asked first, if it is known: it has things to put away. */
  async end(life: EditorLife | undefined): Promise<void> {
    const { socket } = this.#options;
    if (life !== undefined) {
      life.askToEnd();
      await Promise.race([life.gone, delay(endTimeoutMs, undefined, { ref: false })]);
    }
    await this.#scope.kill();
    for (const path of [socket, openSocket(socket)]) rmSync(path, { force: true });
  }

  holds(pid: number): boolean {
    return this.#scope.holds(pid);
  }
}

function openScope({ sessionDir }: ProcessOptions): ProcessScope {
  return new ProcessScope(editorScope(sessionDir));
}
