import type { FileHost } from '../files/file-host.ts';
import { clip, clippedDirectory } from './numbered-lines.ts';

interface Listed {
  path: string;
  isDirectory: boolean;
}

/** A directory two levels deep without hidden entries. A subdirectory that may not be read is listed alone. */
export async function viewDirectory(host: FileHost, path: string): Promise<string> {
  const entries = await host.list(path);
  const prefix = path.endsWith('/') ? path : `${path}/`;
  const listed: Listed[] = [{ path, isDirectory: true }];
  for (const { name, kind } of entries.filter(isShown)) {
    const isDirectory = kind === 'directory';
    listed.push({ path: `${prefix}${name}`, isDirectory });
    if (!isDirectory) continue;
    const inner = await host.list(`${prefix}${name}`).catch(() => []);
    for (const entry of inner.filter(isShown))
      listed.push({ path: `${prefix}${name}/${entry.name}`, isDirectory: entry.kind === 'directory' });
  }
  const hidden = entries.filter((entry) => !isShown(entry)).length;
  const note = `\n\n${hidden} hidden files/directories in this directory are excluded. You can use 'ls -la ${path}' to see them.`;
  return `Here's the files and directories up to 2 levels deep in ${path}, excluding hidden items:\n${withSlashes(listed)}${hidden > 0 ? note : ''}`;
}

/** The contract clips the bare paths and only then marks the directories. */
function withSlashes(listed: Listed[]): string {
  listed.sort((left, right) => Buffer.compare(Buffer.from(left.path), Buffer.from(right.path)));
  const bare = `${listed.map(({ path }) => path).join('\n')}\n`;
  const shown = clip(bare, clippedDirectory);
  const marked = listed.map(({ path, isDirectory }) =>
    isDirectory && !path.endsWith('/') ? `${path}/` : path,
  );
  if (shown === bare) return marked.join('\n');
  const whole: string[] = [];
  let length = 0;
  const clippedLength = shown.length - clippedDirectory.length;
  for (const [index, { path }] of listed.entries()) {
    if (length + path.length + 1 > clippedLength) break;
    whole.push(marked[index]!);
    length += path.length + 1;
  }
  return [...whole, shown.slice(length)].join('\n');
}

function isShown({ name }: { name: string }): boolean {
  return !name.startsWith('.');
}
