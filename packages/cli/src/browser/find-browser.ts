import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** A command that shows an address to the person who is here. */
export type Browser = (url: string) => { file: string; args: string[] };

/** The one that `BROWSER` names, else the desktop's own; undefined where there is no screen. */
export function findBrowser(variable: (name: string) => string | undefined): Browser | undefined {
  // Several may be named, with a colon between them.
  const named = variable('BROWSER')?.split(':').find(Boolean);
  if (named !== undefined) return namedBrowser(named);
  const hasScreen = Boolean(variable('DISPLAY') || variable('WAYLAND_DISPLAY'));
  if (!hasScreen || !isOnPath('xdg-open', variable('PATH') ?? '')) return undefined;
  return (url) => ({ file: 'xdg-open', args: [url] });
}

function namedBrowser(named: string): Browser {
  const [file = '', ...words] = named.trim().split(/\s+/);
  return (url) => {
    const args = words.map((word) => word.replace('%s', () => url));
    return { file, args: args.includes(url) ? args : [...args, url] };
  };
}

function isOnPath(name: string, path: string): boolean {
  return path.split(delimiter).some((directory) => {
    try {
      accessSync(join(directory, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
