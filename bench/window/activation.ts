import type { VscodeWindow } from '../../tests/window/support/vscode-window.ts';
import type { Row } from '../runner.ts';
import { figureBelow } from '../support/rows.ts';
import type { BenchWindows } from './bench-windows.ts';

/**
 * What the extension costs a window that does not use it, as VS Code's "Startup Performance" tells. That counts in the
 * extensions that are loaded just before it, so the least of some rounds is nearest to its own.
 */
export async function activation(windows: BenchWindows, { rounds }: { rounds: number }): Promise<Row[]> {
  const window = await windows.open({});
  const samples: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    if (round > 0) await window.reload();
    samples.push(await activationMs(window));
  }
  await window.close();
  const figure = Math.min(...samples);
  const what = `activation of the extension when unused, least of ${rounds}`;
  return [figureBelow({ what, figure, unit: 'ms', bar: 50 })];
}

/** To load its code, to call its `activate`, and until that is done. */
async function activationMs(window: VscodeWindow): Promise<number> {
  await window.until(
    'the extension',
    (vscode) => vscode.extensions.getExtension('fairlead.fairlead')?.isActive,
  );
  await window.executeCommand('perfview.show');
  const row = await window.until('the times of the extension', (vscode) => {
    const report = vscode.window.visibleTextEditors.find(({ document }) => document.uri.scheme === 'perf');
    return report?.document.getText().match(/^\| fairlead\.fairlead +\|.*$/m)?.[0];
  });
  const [, , , load, call, finish] = row.split('|').map((cell) => Number(cell));
  return load! + call! + finish!;
}
