import type { Row } from './runner.ts';
import { activation } from './window/activation.ts';
import { actionsInWindow } from './window/actions-in-window.ts';
import { useBenchWindows } from './window/bench-windows.ts';

export const title = 'window';
export const description = 'actions in a VS Code window, against a local sandbox of the same gateway';

export function run(): Promise<Row[]> {
  return useBenchWindows(async (windows) => [
    ...(await activation(windows, { rounds: 5 })),
    ...(await actionsInWindow(windows, { rounds: 10, warmUpRounds: 2 })),
  ]);
}
