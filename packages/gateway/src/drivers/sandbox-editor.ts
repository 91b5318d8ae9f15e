import { existsSync, mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { inside, type SandboxBundle, type SandboxEditor } from './inside.ts';

/** What a sandbox gets besides the bundle, so that it has a web VS Code. */
export interface EditorSupply {
  mounts: SandboxBundle['mounts'];
  /** For the sandbox server alone. */
  env: Record<string, string>;
}

/** What of this machine a kind of sandbox has: nothing but what is mounted, its programs in /usr too, or everything. */
export type Sight = 'mounts' | 'programs' | 'machine';

/** Whether the program is there does not matter here: it may come, and go, while the sandbox runs. */
export function editorSupply(editor: SandboxEditor | undefined, sight: Sight): EditorSupply {
  if (editor === undefined) return nothing;
  const [program, extension] = [programSupply(editor, sight), extensionSupply(editor, sight)];
  return {
    mounts: [...program.mounts, ...extension.mounts],
    env: { ...program.env, ...extension.env },
  };
}

/** A program that sandboxes could not start is told of at once, not at the first visit. */
export function checkEditor(editor: SandboxEditor, sight: Sight): void {
  const program = 'command' in editor ? editor.command[0] : undefined;
  if (program === undefined) return;
  if (!existsSync(program)) throw new Error(`There is no ${program}, which is to be the editor of sessions`);
  if (sight === 'machine' || realpathSync(program).startsWith('/usr/')) return;
  throw new Error(
    `${program} cannot be the editor of sessions, because sandboxes see no programs of this machine but those in /usr; ` +
      'put it there, or run "fairlead editor install"',
  );
}

function programSupply(editor: SandboxEditor, sight: Sight): EditorSupply {
  const { kind } = editor;
  if ('command' in editor) {
    return sight === 'mounts' ? nothing : { mounts: [], env: setting({ kind, command: editor.command }) };
  }
  const { directory, program } = editor;
  // What is not there cannot be mounted, and what is made later would not be seen.
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const [place, mounts] =
    sight === 'machine' ? [directory, []] : [inside.editor, [{ source: directory, target: inside.editor }]];
  return { mounts, env: setting({ kind, command: [join(place, program)], isFallback: true }) };
}

/** Also for an editor that a sandbox has of its own. */
function extensionSupply({ extension }: SandboxEditor, sight: Sight): EditorSupply {
  if (extension === undefined) return nothing;
  if (sight === 'machine') return { mounts: [], env: { FAIRLEAD_EDITOR_EXTENSION: extension } };
  return {
    mounts: [{ source: extension, target: inside.extension }],
    env: { FAIRLEAD_EDITOR_EXTENSION: inside.extension },
  };
}

const nothing: EditorSupply = { mounts: [], env: {} };

function setting(editor: object): Record<string, string> {
  return { FAIRLEAD_EDITOR: JSON.stringify(editor) };
}
