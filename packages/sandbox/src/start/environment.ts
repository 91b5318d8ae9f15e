import { UsageError } from './arguments.ts';

export interface Settings {
  sessionApiKey: string | undefined;
  host: string | undefined;
  noChangeTimeoutSeconds: number;
  isSwitchingUser: boolean;
  /** Group of the workspace when it is given to another user. */
  group: string;
  runtimeDir: string | undefined;
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

function parseSeconds(name: string, text: string): number {
  const seconds = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && seconds > 0 && seconds <= 86_400) return seconds;
  throw new UsageError(`${name}="${text}" is not a number of seconds above 0 and up to 86400`);
}
