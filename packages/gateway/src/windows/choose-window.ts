import type { WindowChoice, WindowFacts } from '@fairlead/protocol';
import { GatewayError } from '../gateway-error.ts';

export interface ChosenWindow {
  windowId: string;
  /** Where the session begins; null for the window's first folder. */
  windowFolder: string | null;
}

/** The window that is meant; refused, with all there are, where that is none or several. */
export function chooseWindow(windows: WindowFacts[], { id, folder }: WindowChoice): ChosenWindow {
  if (windows.length === 0) throw noWindow();
  const byId = id === undefined ? windows : windows.filter(({ windowId }) => windowId === id);
  if (byId.length === 0) {
    throw new GatewayError('bad-request', `No window ${id} is connected. ${listed(windows)}`);
  }
  const found = folder === undefined ? byId : withFolder(byId, folder);
  const [only, ...others] = found;
  if (only === undefined) {
    throw new GatewayError('bad-request', `No window that is connected has ${folder} open. ${listed(byId)}`);
  }
  if (others.length > 0) {
    throw new GatewayError(
      'bad-request',
      `${found.length} windows fit; say which by its id. ${listed(found)}`,
    );
  }
  return { windowId: only.windowId, windowFolder: folder === undefined ? null : placeIn(only, folder) };
}

function noWindow(): GatewayError {
  return new GatewayError(
    'wrong-state',
    'No VS Code window is connected. Run "fairlead window pair" and open the link that it prints; in a window that knows ' +
      'this gateway already, run the command "Fairlead: Connect This Window"',
  );
}

function listed(windows: WindowFacts[]): string {
  const lines = windows.map(({ windowId, name, folders }) => {
    const paths = folders.map(({ path, uri }) => path ?? uri).join(', ') || 'no folder';
    return `"${name}" (${paths}) ${windowId}`;
  });
  return `Connected: ${lines.join('; ')}`;
}

function withFolder(windows: WindowFacts[], folder: string): WindowFacts[] {
  const depths = windows.map((window) => depthOf(window, folder));
  const deepest = Math.max(...depths);
  return deepest < 0 ? [] : windows.filter((_window, index) => depths[index] === deepest);
}

/** How much of the path the best folder of a window has; less than 0 where none has it. */
function depthOf({ name, folders }: WindowFacts, folder: string): number {
  if (!isPath(folder)) return name === folder || folders.some((each) => each.name === folder) ? 0 : -1;
  return Math.max(
    -1,
    ...folders.map(({ path }) => (path !== null && holds(path, folder) ? path.length : -1)),
  );
}

function placeIn({ folders }: WindowFacts, folder: string): string | null {
  if (isPath(folder)) return folder;
  return folders.find((each) => each.name === folder)?.path ?? null;
}

function isPath(text: string): boolean {
  return /^(\/|\\|[a-z]:[\\/])/i.test(text);
}

function holds(folder: string, path: string): boolean {
  const base = folded(folder).replace(/[\\/]+$/, '');
  const rest = folded(path).slice(base.length);
  return folded(path).startsWith(base) && (rest === '' || /^[\\/]/.test(rest));
}

/** On Windows a path has no case, and VS Code writes its drive in another one than people do. */
function folded(path: string): string {
  const isOfWindows = /^([a-z]:|\\)/i.test(path);
  return isOfWindows ? path.toLowerCase().replaceAll('/', '\\') : path;
}
