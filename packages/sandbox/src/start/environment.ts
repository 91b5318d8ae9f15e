import { type GivenEditor, isEditorKind } from '../editor-server/editor-program.ts';
import { UsageError } from './arguments.ts';

export interface Settings {
  sessionApiKey: string | undefined;
  host: string | undefined;
  noChangeTimeoutSeconds: number;
  isSwitchingUser: boolean;
  /** Group of the workspace when it is given to another user. */
  group: string;
  runtimeDir: string | undefined;
  /** The web VS Code to be used. */
  editor: GivenEditor | undefined;
  /** The folder of a VS Code extension that it comes with. */
  editorExtension: string | undefined;
}

type Environment = Record<string, string | undefined>;

export function readSettings(env: Environment): Settings {
  return {
    sessionApiKey: env['SESSION_API_KEY'] || undefined,
    host: env['FAIRLEAD_HOST'] || undefined,
    noChangeTimeoutSeconds: parseSeconds(
      'NO_CHANGE_TIMEOUT_SECONDS',
      env['NO_CHANGE_TIMEOUT_SECONDS'] || '10',
    ),
    isSwitchingUser: /^(1|true|t|yes|y|on)$/i.test(env['SU_TO_USER'] || 'true'),
    group: env['SANDBOX_GROUP_ID'] || 'root',
    runtimeDir: env['XDG_RUNTIME_DIR'] || undefined,
    editor: parseEditor(env['FAIRLEAD_EDITOR'] || undefined),
    editorExtension: env['FAIRLEAD_EDITOR_EXTENSION'] || undefined,
  };
}

const ownNames = new Set(['SESSION_API_KEY', 'NO_CHANGE_TIMEOUT_SECONDS', 'SU_TO_USER', 'SANDBOX_GROUP_ID']);

/**
 * What shells inherit: everything but the key and the server's own settings. `FAIRLEAD_SHELL_ENV`, a JSON object, is for
 * them alone: a variable that Node or the dynamic loader would heed (`NODE_OPTIONS`, `LD_PRELOAD`) must not reach the server.
 */
export function shellEnvironment(env: Environment): Record<string, string> {
  const kept = Object.entries(env).filter(([name, value]) => {
    return value !== undefined && !ownNames.has(name) && !name.startsWith('FAIRLEAD_');
  });
  return { ...Object.fromEntries(kept), ...parseShellEnvironment(env['FAIRLEAD_SHELL_ENV']) } as Record<
    string,
    string
  >;
}

function parseShellEnvironment(text: string | undefined): object {
  if (text === undefined) return {};
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    if (isObject && Object.values(value).every((item) => typeof item === 'string')) return value;
  } catch {
    // Told below.
  }
  throw new UsageError('FAIRLEAD_SHELL_ENV is not a JSON object of texts');
}

function parseEditor(text: string | undefined): GivenEditor | undefined {
  if (text === undefined) return undefined;
  try {
    const { kind, command, isFallback = false } = JSON.parse(text) as Record<keyof GivenEditor, unknown>;
    const isCommand = Array.isArray(command) && command.length > 0;
    if (isEditorKind(kind) && isCommand && command.every((word) => typeof word === 'string')) {
      return { kind, command, isFallback: isFallback === true };
    }
  } catch {
    // Told below.
  }
  throw new UsageError(
    'FAIRLEAD_EDITOR is not JSON of the form {"kind": "code-server", "command": ["/path/of/code-server"]}',
  );
}

function parseSeconds(name: string, text: string): number {
  const seconds = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && seconds > 0 && seconds <= 86_400) return seconds;
  throw new UsageError(`${name}="${text}" is not a number of seconds above 0 and up to 86400`);
}
