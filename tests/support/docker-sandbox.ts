import { randomBytes } from 'node:crypto';
import { prepareSandboxBundle } from '@fairlead/sandbox/bundle';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { openDockerDriver } from '../../packages/gateway/src/drivers/docker/docker-driver.ts';
import type { Driver, SandboxSpec } from '../../packages/gateway/src/drivers/driver.ts';
import type { SandboxBundle } from '../../packages/gateway/src/drivers/inside.ts';
import { Place } from '../drivers/support/place.ts';
import type { SharedEngine } from './docker.ts';
import { dockerImages } from './docker-images.ts';

/** A docker driver on the run's engine; its sandboxes end with the test that started them. */
export interface DockerSandboxes {
  readonly driver: Driver;
  readonly gatewayId: string;
  /** Another driver, as a gateway has it after a restart. */
  openDriver(options?: { gatewayId?: string; dockerSocket?: string }): Driver;
  spec(changes?: Partial<SandboxSpec>): SandboxSpec;
  /** Starts a sandbox, and answers what was told meanwhile. */
  start(spec: SandboxSpec): Promise<string[]>;
  /** Its container's. */
  nameOf(spec: SandboxSpec): string;
}

export function useDockerSandboxes(engine: SharedEngine): DockerSandboxes {
  const gatewayId = randomBytes(6).toString('hex');
  const drivers: Driver[] = [];
  let place: Place;
  let bundle: SandboxBundle;
  let driver: Driver;
  beforeAll(async () => {
    place = new Place();
    bundle = await prepareSandboxBundle();
    driver = openDriver();
  }, 60_000);
  afterEach(async () => {
    for (const id of await driver.list()) await driver.stop(id);
  }, 60_000);
  afterAll(async () => {
    for (const opened of drivers) await opened.close();
    place.remove();
  }, 60_000);

  return {
    gatewayId,
    get driver() {
      return driver;
    },
    openDriver,
    spec: (changes) => place.spec(changes),
    async start(spec) {
      const lines: string[] = [];
      await driver.start(spec, (line) => lines.push(line));
      return lines;
    },
    nameOf: ({ id }) => `fairlead-${gatewayId}-${id}`,
  };

  function openDriver(options: { gatewayId?: string; dockerSocket?: string } = {}): Driver {
    const opened = openDockerDriver({
      bundle,
      gatewayId,
      dockerSocket: engine.socket,
      defaultImage: dockerImages.debian,
      ...options,
    });
    drivers.push(opened);
    return opened;
  }
}
