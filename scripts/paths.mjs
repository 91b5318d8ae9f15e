import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const binDirectory = join(root, 'node_modules', '.bin');
/** The link by which every tool finds the pinned Node. */
export const nodeOnPath = join(binDirectory, 'node');
export const pinnedNode = join(root, 'node_modules', 'node', 'bin', 'node');

/** The environment with the project's own tools, and so its Node, first on PATH. */
export function environmentWithTools(extra = {}) {
  return { ...process.env, PATH: [binDirectory, process.env.PATH].join(delimiter), ...extra };
}

const npmOwn = /[/\\]node_modules[/\\]\.bin$|[/\\]node-gyp-bin$/;

/** The environment as it was before npm put the project's tools on PATH; `npm ci` deletes those under itself. */
export function environmentWithoutTools() {
  const path = (process.env.PATH ?? '').split(delimiter).filter((entry) => !npmOwn.test(entry));
  return { ...process.env, PATH: path.join(delimiter) };
}

/** The environment of the user who typed the command, without what npm added: agents' shells inherit it. */
export function environmentOfUser(extra = {}) {
  const added = /^(npm_.*|INIT_CWD|NODE|COLOR)$/;
  const kept = Object.entries(environmentWithoutTools()).filter(([name]) => !added.test(name));
  return { ...Object.fromEntries(kept), ...extra };
}
