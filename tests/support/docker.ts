import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { beforeAll, inject } from 'vitest';
import { missingNeeds } from '../../scripts/machine-needs.mjs';
import { docker } from './docker-engine.ts';

/** What a suite that uses the engine needs of the machine. */
export const dockerTags = ['dockerd', 'debootstrap', 'ip'];

/** The first suite on a machine waits for the images too. */
const startTimeoutMs = 10 * 60_000;

export interface SharedEngine {
  socket: string;
  /** A process in the engine's network. */
  pid: number;
  /** The docker command on it. */
  docker(...args: string[]): Promise<string>;
}

/** The run's Docker engine. For the body of a `describe` that carries `dockerTags`. */
export function useDockerEngine(): SharedEngine {
  const engine: SharedEngine = {
    socket: '',
    pid: 0,
    docker: (...args) => docker(engine.socket, ...args),
  };
  const isMissing = missingNeeds().some(({ name }) => dockerTags.includes(name));
  beforeAll(async () => {
    // Its suites are skipped; hooks around them are not.
    if (isMissing) return;
    const answer = JSON.parse(await text(connect(inject('dockerDoor'), '127.0.0.1'))) as
      { socket: string; pid: number } | { error: string };
    if ('error' in answer) throw new Error(answer.error);
    Object.assign(engine, answer);
  }, startTimeoutMs);
  return engine;
}
