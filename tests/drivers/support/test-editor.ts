import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { prepareSandboxBundle } from '@fairlead/sandbox/bundle';
import { findEditor } from '@fairlead/sandbox/editor-program';
import { standardPath } from '../../../packages/gateway/src/drivers/environment.ts';
import { inside, type SandboxEditor } from '../../../packages/gateway/src/drivers/inside.ts';
import type { Place } from './place.ts';

/** A sandbox of this machine would take that one. */
export const hasOwnEditor = findEditor(undefined, standardPath) !== undefined;

/** Where sandboxes of the tests look for an editor. */
export function testEditor(stateDir: string): SandboxEditor {
  return { kind: 'code-server', directory: join(stateDir, 'editors'), program: 'test/bin/code-server' };
}

export const testEditorVersion = 'of-the-test';

/** A web server that answers like an editor. It runs in any sandbox, with the Node of the sandbox server. */
export async function installTestEditor(place: Pick<Place, 'stateDir' | 'giveAway'>): Promise<void> {
  const directory = join(place.stateDir, 'editors', 'test');
  mkdirSync(join(directory, 'bin'), { recursive: true });
  writeFileSync(join(directory, 'editor.mjs'), program);
  writeFileSync(join(directory, 'bin', 'code-server'), await script(), { mode: 0o755 });
  for (const path of [dirname(directory), directory, join(directory, 'bin')]) place.giveAway(path);
}

export function removeTestEditor({ stateDir }: Pick<Place, 'stateDir'>): void {
  rmSync(join(stateDir, 'editors', 'test'), { recursive: true, force: true });
}

async function script(): Promise<string> {
  const { mounts, command } = await prepareSandboxBundle();
  const node = command.slice(0, command.findIndex((word) => word.endsWith('/bin/node')) + 1);
  return `#!/bin/bash
editor=\${0%/bin/*}
bundle=${inside.bundle}
# Without isolation it is where it is.
[[ $editor == ${inside.editor}/* ]] || bundle=${mounts[0]!.source}
exec ${node.map((word) => word.replace(inside.bundle, '$bundle')).join(' ')} "$editor/editor.mjs" "$@"
`;
}

const program = `
import { rmSync } from 'node:fs';
import { createServer } from 'node:http';
const socket = process.argv.find((word) => word.startsWith('--socket=')).slice('--socket='.length);
rmSync(socket, { force: true });
createServer((request, response) => response.end('${testEditorVersion}')).listen(socket);
`;
