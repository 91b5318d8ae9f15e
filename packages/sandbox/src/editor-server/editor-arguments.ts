import type { EditorFiles } from './editor-files.ts';
import type { EditorKind } from './editor-program.ts';

export interface EditorPlace {
  files: EditorFiles;
  /** Where it listens. */
  socket: string;
  folder: string;
}

/** Whether browsers need a token of the editor's own; code-server has none on a socket that only its owner can open. */
export function hasToken(kind: EditorKind): boolean {
  return kind !== 'code-server';
}

/** By which a terminal's `code FILE` reaches the window; by default in the home, whose path may be too long. */
export function openSocket(socket: string): string {
  return `${socket}.open`;
}

export function editorArguments(kind: EditorKind, { files, socket, folder }: EditorPlace): string[] {
  const ofVsCode = [
    `--socket-path=${socket}`,
    `--server-data-dir=${files.directory}`,
    `--connection-token-file=${files.token}`,
    '--accept-server-license-terms',
  ];
  switch (kind) {
    case 'code-server':
      return [
        `--socket=${socket}`,
        '--socket-mode=600',
        '--auth=none',
        // Otherwise the settings of a code-server that the user has on this machine would hold here too.
        '--config=/dev/null',
        `--session-socket=${openSocket(socket)}`,
        `--user-data-dir=${files.data}`,
        `--extensions-dir=${files.extensions}`,
        '--disable-telemetry',
        '--disable-update-check',
        '--disable-workspace-trust',
        '--disable-getting-started-override',
        // It would reach every port of the machine.
        '--disable-proxy',
        '--ignore-last-opened',
        folder,
      ];
    case 'openvscode-server':
      return [
        ...ofVsCode,
        '--telemetry-level=off',
        '--disable-workspace-trust',
        `--default-folder=${folder}`,
      ];
    case 'serve-web':
      // Older ones know no default folder: visitors name it, as `?folder=`.
      return ofVsCode;
  }
}
