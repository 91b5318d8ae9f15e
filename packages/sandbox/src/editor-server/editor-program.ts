import { accessSync, constants, statSync } from 'node:fs';
import { join } from 'node:path';

/** The web VS Codes that are known, each with arguments of its own. */
export type EditorKind = 'code-server' | 'openvscode-server' | 'serve-web';

export interface EditorProgram {
  kind: EditorKind;
  /** Without the arguments. */
  command: string[];
}

/** One that whoever started the server has named. */
export interface GivenEditor extends EditorProgram {
  /** Only where there is no server on PATH. */
  isFallback?: boolean;
}

/** The editor that was named, if it is there now, else the first on the shells' own PATH. */
export function findEditor(
  given: GivenEditor | undefined,
  path: string | undefined,
): EditorProgram | undefined {
  const named = given !== undefined && isThere(given) ? given : undefined;
  if (named !== undefined && named.isFallback !== true) return named;
  const found = onPath(path ?? '');
  // A desktop's own VS Code has no server before it has downloaded one.
  return found === undefined || found.kind === 'serve-web' ? (named ?? found) : found;
}

export function isThere({ command: [file = ''] }: EditorProgram): boolean {
  return isProgram(file);
}

/** In the order in which they are looked for. */
const programs: { name: string; kind: EditorKind; args: string[] }[] = [
  { name: 'code-server', kind: 'code-server', args: [] },
  { name: 'openvscode-server', kind: 'openvscode-server', args: [] },
  { name: 'code', kind: 'serve-web', args: ['serve-web'] },
];

export function isEditorKind(value: unknown): value is EditorKind {
  return programs.some(({ kind }) => kind === value);
}

function onPath(path: string): EditorProgram | undefined {
  const directories = path.split(':').filter((directory) => directory.startsWith('/'));
  for (const { name, kind, args } of programs) {
    const file = directories.map((directory) => join(directory, name)).find(isProgram);
    if (file !== undefined) return { kind, command: [file, ...args] };
  }
  return undefined;
}

export function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
