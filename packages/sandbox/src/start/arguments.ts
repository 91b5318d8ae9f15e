/** A wrong argument or setting: one line for the user, exit code 2. */
export class UsageError extends Error {}

export interface Arguments {
  listenOn: { kind: 'port'; port: number } | { kind: 'socket'; path: string };
  workingDir: string;
  username: string | undefined;
  userId: number;
  host: string | undefined;
  allowedHosts: string[];
  sessionDir: string | undefined;
  terminal: 'tmux' | 'pty' | 'auto';
  leaseSeconds: number | undefined;
  editorSocket: string | undefined;
  editorIdleSeconds: number;
  isInsecureAllowed: boolean;
}

export const usage = `Usage: fairlead-sandbox PORT [options]
       fairlead-sandbox --socket PATH [options]

  PORT                     port to listen on, 0 for any free one
  --socket PATH            listen on a Unix socket instead, which only its owner can open
  --working-dir DIR        workspace of the session, made when missing (default: the current directory)
  --host ADDRESS           address to listen on (default: FAIRLEAD_HOST or 127.0.0.1)
  --allowed-host NAME      accept this Host header too; may be repeated
  --insecure-no-key        listen beyond loopback although SESSION_API_KEY is not set
  --session-dir DIR        state of the session; a server started again on it takes the session over
  --terminal KIND          tmux, pty or auto (default: auto)
  --lease SECONDS          end when there was no request for so long (default: stay)
  --editor-socket PATH     where a web VS Code listens, which is started on demand (default: there is none)
  --editor-idle SECONDS    end it when nobody has asked for it so long (default: 1800)
  --username NAME          whose shells these are, when the server runs as root (default: the server's user)
  --user-id N              id of that user when it has to be created (default: 1000)
  --plugins NAME...        accepted for OpenHands' launchers, without effect
  --enable-browser, --no-enable-browser, --browsergym-eval-env NAME
                           accepted for OpenHands' launchers, without effect
  --help, --version

Environment: SESSION_API_KEY (clients must send it as X-Session-API-Key), NO_CHANGE_TIMEOUT_SECONDS (10),
SU_TO_USER (true), SANDBOX_GROUP_ID (root), FAIRLEAD_EDITOR (JSON: kind and command of the web VS Code).
`;

type Values = { [name: string]: string[] };

/** Flags with a value, flags without, and those that take all words up to the next flag. */
const arity: Record<string, 'one' | 'none' | 'many'> = {
  '--working-dir': 'one',
  '--host': 'one',
  '--allowed-host': 'one',
  '--insecure-no-key': 'none',
  '--session-dir': 'one',
  '--socket': 'one',
  '--lease': 'one',
  '--editor-socket': 'one',
  '--editor-idle': 'one',
  '--terminal': 'one',
  '--username': 'one',
  '--user-id': 'one',
  '--plugins': 'many',
  '--enable-browser': 'none',
  '--no-enable-browser': 'none',
  '--browsergym-eval-env': 'one',
};

/** The reference's argv and ours. Flags nobody knows are skipped with what follows them. */
export function parseArguments(words: string[]): Arguments {
  const { ports, values } = sort(words);
  const last = (name: string) => values[name]?.at(-1);
  return {
    listenOn: parseListenOn(ports[0], last('--socket')),
    workingDir: last('--working-dir') ?? '.',
    username: last('--username'),
    userId: parseNumber('--user-id', last('--user-id') ?? '1000', 2 ** 32 - 2),
    host: last('--host'),
    allowedHosts: values['--allowed-host'] ?? [],
    sessionDir: last('--session-dir'),
    terminal: parseTerminal(last('--terminal') ?? 'auto'),
    leaseSeconds: parseLease(last('--lease')),
    editorSocket: last('--editor-socket'),
    editorIdleSeconds: parseNumber('--editor-idle', last('--editor-idle') ?? '1800', 31_536_000, 1),
    isInsecureAllowed: '--insecure-no-key' in values,
  };
}

function sort(words: string[]): { ports: string[]; values: Values } {
  const ports: string[] = [];
  const values: Values = {};
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index]!;
    if (!word.startsWith('-')) {
      if (ports.length > 0) throw new UsageError(`Unexpected argument "${word}"; see --help`);
      ports.push(word);
      continue;
    }
    const [name, attached] = splitFlag(word);
    const kind = arity[name];
    const given = (values[name] ??= []);
    if (attached !== undefined) given.push(attached);
    else if (kind === 'one') given.push(valueAfter(words, (index += 1), name));
    else if (kind !== 'none') while (isValue(words[index + 1], kind, ports)) given.push(words[(index += 1)]!);
  }
  return { ports, values };
}

function splitFlag(word: string): [name: string, value?: string] {
  const mark = word.indexOf('=');
  return mark < 0 ? [word] : [word.slice(0, mark), word.slice(mark + 1)];
}

function valueAfter(words: string[], index: number, name: string): string {
  const value = words[index];
  if (value === undefined || value.startsWith('--'))
    throw new UsageError(`${name} needs a value; see --help`);
  return value;
}

/** After an unknown flag a number is the port as long as there is none: launchers put it first. */
function isValue(word: string | undefined, kind: 'many' | undefined, ports: string[]): boolean {
  if (word === undefined || word.startsWith('-')) return false;
  return kind === 'many' || ports.length > 0 || !/^\d+$/.test(word);
}

function parseListenOn(port: string | undefined, socket: string | undefined): Arguments['listenOn'] {
  if (port !== undefined && socket !== undefined)
    throw new UsageError(`Both a port (${port}) and --socket ${socket} are given; leave one out`);
  if (socket !== undefined) return { kind: 'socket', path: socket };
  if (port === undefined)
    throw new UsageError('No port given: fairlead-sandbox PORT --working-dir DIR; see --help');
  return { kind: 'port', port: parseNumber('PORT', port, 65_535) };
}

function parseLease(text: string | undefined): number | undefined {
  return text === undefined ? undefined : parseNumber('--lease', text, 31_536_000, 1);
}

function parseNumber(name: string, text: string, maximum: number, minimum = 0): number {
  if (/^\d{1,10}$/.test(text) && Number(text) >= minimum && Number(text) <= maximum) return Number(text);
  throw new UsageError(`${name} "${text}" is not a number from ${minimum} to ${maximum}`);
}

function parseTerminal(text: string): Arguments['terminal'] {
  if (text === 'tmux' || text === 'pty' || text === 'auto') return text;
  throw new UsageError(`--terminal "${text}" is not tmux, pty or auto`);
}
