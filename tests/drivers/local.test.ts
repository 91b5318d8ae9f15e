import { prepareSandboxBundle } from '@fairlead/sandbox/bundle';
import { openLocalDriver } from '../../packages/gateway/src/drivers/local/local-driver.ts';
import { describeDriver, type DriverUnderTest } from './conformance.ts';
import { DriverProcess } from './support/driver-process.ts';
import { nobody } from './support/place.ts';
import { testEditor } from './support/test-editor.ts';

const isRoot = process.getuid?.() === 0;

const common = {
  hasTmux: true,
  broken: [
    {
      what: 'an image, which it does not have',
      changes: { image: 'debian:12' },
      message: /no images.*"debian:12".*use the docker driver/,
    },
    {
      what: 'a setting that the sandbox server refuses',
      changes: { env: { NO_CHANGE_TIMEOUT_SECONDS: 'soon' } },
      message: /did not start.*code 1.*NO_CHANGE_TIMEOUT_SECONDS="soon" is not a number.*giving up/,
    },
  ],
} satisfies Partial<DriverUnderTest>;

describeDriver('local', {
  ...common,
  open: async (stateDir) =>
    openLocalDriver({
      stateDir,
      bundle: await prepareSandboxBundle(),
      isolation: 'bubblewrap',
      editor: testEditor(stateDir),
    }),
  tags: ['bwrap', 'tmux'],
  enforcesLimits: isRoot,
  isIsolated: true,
});

if (isRoot) {
  describeDriver('local, of an ordinary user', {
    ...common,
    open: (stateDir) => DriverProcess.open({ stateDir, isolation: 'bubblewrap', uid: nobody }),
    owner: nobody,
    tags: ['bwrap', 'tmux'],
    enforcesLimits: false,
    isIsolated: true,
  });
}

describeDriver('local, without isolation', {
  ...common,
  open: async (stateDir) =>
    openLocalDriver({
      stateDir,
      bundle: await prepareSandboxBundle(),
      isolation: 'none',
      editor: testEditor(stateDir),
    }),
  tags: ['tmux'],
  enforcesLimits: isRoot,
  isIsolated: false,
});
