import { createHash } from 'node:crypto';
import { prepareSandboxBundle } from '@fairlead/sandbox/bundle';
import { describe } from 'vitest';
import { openDockerDriver } from '../../packages/gateway/src/drivers/docker/docker-driver.ts';
import { dockerTags, useDockerEngine } from '../support/docker.ts';
import { dockerImages } from '../support/docker-images.ts';
import { describeDriver, type DriverUnderTest } from './conformance.ts';
import { testEditor } from './support/test-editor.ts';

describe('in containers', { tags: dockerTags, timeout: 60_000 }, () => {
  const engine = useDockerEngine();

  const common = {
    open: async (stateDir) =>
      openDockerDriver({
        bundle: await prepareSandboxBundle(),
        editor: testEditor(stateDir),
        gatewayId: createHash('sha256').update(stateDir).digest('hex').slice(0, 12),
        dockerSocket: engine.socket,
        defaultImage: dockerImages.debian,
      }),
    tags: dockerTags,
    enforcesLimits: true,
    isIsolated: true,
    broken: [
      {
        what: 'an image without bash',
        changes: { image: dockerImages.noBash },
        message: /has no bash; use one that has/,
      },
      {
        what: 'an image that is nowhere',
        changes: { image: '127.0.0.1:1/nothing' },
        message: /could not be pulled: .*connection refused.* Check its name/,
      },
      {
        what: 'a setting that the sandbox server refuses',
        changes: { env: { NO_CHANGE_TIMEOUT_SECONDS: 'soon' } },
        message: /did not start.*code 1.*NO_CHANGE_TIMEOUT_SECONDS="soon" is not a number.*giving up/,
      },
    ],
  } satisfies Partial<DriverUnderTest>;

  describeDriver('docker', { ...common, hasTmux: true });
  describeDriver('docker, on an image with nothing but bash', {
    ...common,
    image: dockerImages.bare,
    hasTmux: false,
  });
});
