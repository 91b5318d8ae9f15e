import type { z } from 'zod';
import type { MachineSandbox } from '../sandbox.ts';
import type { EditorServer, EditorStatus } from './editor-server.ts';

/** What the routes of the editor answer; a server that was not told where it may listen has none. */
export async function editorAnswer(
  sandbox: MachineSandbox,
  ask: (editor: EditorServer) => EditorStatus | Promise<EditorStatus>,
): Promise<EditorStatus> {
  const editor = await sandbox.editor();
  if (editor !== undefined) return ask(editor);
  const detail = 'The sandbox server was started without --editor-socket PATH, so it starts no web VS Code';
  return { state: 'missing', product: null, version: null, detail, folder: sandbox.workspace, token: null };
}

export function documentAnswer(zod: typeof z) {
  return {
    description: 'Its state now; it becomes `running` or `failed` some time after `starting`',
    schema: zod.object({
      state: zod.enum(['missing', 'stopped', 'starting', 'running', 'failed']),
      product: zod.enum(['code-server', 'openvscode-server', 'serve-web']).nullable(),
      version: zod.string().nullable(),
      detail: zod.string(),
      folder: zod.string(),
      token: zod.string().nullable(),
    }),
  };
}
