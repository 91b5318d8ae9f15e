import { join } from 'node:path';
import type { EditorKind } from './editor-program.ts';

/** What an editor keeps in the home of whose shells these are. */
export interface EditorFiles {
  directory: string;
  data: string;
  extensions: string;
  token: string;
  log: string;
}

/** The names of `data` and `extensions` are those that VS Code's own servers give them. */
export function editorFiles(home: string): EditorFiles {
  const directory = join(home, '.local', 'share', 'fairlead-editor');
  return {
    directory,
    data: join(directory, 'data'),
    extensions: join(directory, 'extensions'),
    token: join(directory, 'connection-token'),
    log: join(directory, 'editor.log'),
  };
}

/** Only code-server keeps a person's settings; the others leave those to the browser, and have the machine's. */
export function settingsFile({ data }: EditorFiles, kind: EditorKind): string {
  return join(data, kind === 'code-server' ? 'User' : 'Machine', 'settings.json');
}
