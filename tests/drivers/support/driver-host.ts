import type { SandboxBundle } from '../../../packages/gateway/src/drivers/inside.ts';
import { openLocalDriver } from '../../../packages/gateway/src/drivers/local/local-driver.ts';
import type { Call, Told } from './driver-process.ts';
import { testEditor } from './test-editor.ts';

/** The other end of `DriverProcess`. */
const [, , stateDir = '', isolation, bundle = ''] = process.argv;
const driver = openLocalDriver({
  stateDir,
  bundle: JSON.parse(bundle) as SandboxBundle,
  isolation: isolation === 'none' ? 'none' : 'bubblewrap',
  editor: testEditor(stateDir),
});
const tell = (told: Told) => process.send?.(told);

process.on('message', (call: Call) => {
  const onProgress = (text: string) => tell({ kind: 'progress', number: call.number, text });
  const method = driver[call.method] as (...args: unknown[]) => Promise<unknown>;
  void method.apply(driver, [...call.args, onProgress]).then(
    (value) => tell({ kind: 'done', number: call.number, value }),
    (error: Error) => tell({ kind: 'failed', number: call.number, name: error.name, message: error.message }),
  );
});
process.on('disconnect', () => process.exit(0));
tell({ kind: 'ready' });
