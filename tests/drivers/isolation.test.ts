import { prepareSandboxBundle } from '@fairlead/sandbox/bundle';
import { openLocalDriver } from '../../packages/gateway/src/drivers/local/local-driver.ts';
import { describeIsolation } from './isolation.ts';
import { DriverProcess } from './support/driver-process.ts';
import { nobody } from './support/place.ts';
import { testEditor } from './support/test-editor.ts';
import { withoutUserNamespaces } from './support/without-user-namespaces.ts';

describeIsolation("of the gateway's own user", {
  open: async (stateDir) =>
    openLocalDriver({
      stateDir,
      bundle: await prepareSandboxBundle(),
      isolation: 'bubblewrap',
      editor: testEditor(stateDir),
    }),
});

if (process.getuid?.() === 0) {
  describeIsolation('of an ordinary user', {
    open: (stateDir) => DriverProcess.open({ stateDir, isolation: 'bubblewrap', uid: nobody }),
    owner: nobody,
  });

  describeIsolation('of root, on a machine without user namespaces', {
    open: (stateDir) =>
      DriverProcess.open({ stateDir, isolation: 'bubblewrap', within: withoutUserNamespaces(stateDir) }),
  });
}
