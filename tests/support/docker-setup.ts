import { type AddressInfo, createServer } from 'node:net';
import type { TestProject } from 'vitest/node';
import { type DockerEngine, startDockerEngine } from './docker-engine.ts';

declare module 'vitest' {
  interface ProvidedContext {
    dockerDoor: number;
  }
}

/**
 * One Docker engine for all suites of a run, started when the first of them asks for it: whoever connects to the door, a
 * port, is told where the engine is.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  let engine: Promise<DockerEngine> | undefined;
  const door = createServer((visitor) => {
    visitor.on('error', () => visitor.destroy());
    engine ??= startDockerEngine();
    engine.then(
      ({ socket, pid }) => visitor.end(JSON.stringify({ socket, pid })),
      (error: Error) => visitor.end(JSON.stringify({ error: error.message })),
    );
  });
  await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve));
  project.provide('dockerDoor', (door.address() as AddressInfo).port);
  return async () => {
    door.close();
    await engine?.then(
      ({ stop }) => stop(),
      () => undefined,
    );
  };
}
