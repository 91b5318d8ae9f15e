import { join } from 'node:path';
import type Docker from 'dockerode';
import { awaitSocket } from '../await-socket.ts';
import { type Driver, DriverError, type SandboxSpec, type SandboxStatus } from '../driver.ts';
import { runFiles, type SandboxBundle, type SandboxEditor } from '../inside.ts';
import { editorSupply } from '../sandbox-editor.ts';
import { containerLog } from './container-log.ts';
import { containerName, containerOptions, gatewayLabel, sessionLabel } from './container-options.ts';
import { diagnoseEngine } from './diagnose-engine.ts';
import { engineFailure, engineText, statusOf } from './engine-failure.ts';
import { obtainImage } from './obtain-image.ts';
import { removeTree } from '../remove-tree.ts';
import { takeTurns } from '../take-turns.ts';

export interface DockerDriverOptions {
  bundle: SandboxBundle;
  editor?: SandboxEditor | undefined;
  /** Containers of other gateways on the same engine are left alone. */
  gatewayId: string;
  dockerSocket?: string;
  /** For sessions that name no image. */
  defaultImage: string;
}

const startTimeoutMs = 30_000;
/** An engine that says nothing for so long, also of a pull, is given up. */
const silenceMs = 120_000;
/** For the sandbox server to end its shells; what is left then is killed. */
const stopSeconds = 5;

/** Sandboxes in containers of the Docker engine on this machine. */
export function openDockerDriver(options: DockerDriverOptions): Driver {
  const { bundle, editor, gatewayId, dockerSocket = '/var/run/docker.sock', defaultImage } = options;
  const inTurn = takeTurns();
  /** A pull may take long, and a session that is stopped does not wait for it. */
  const starts = new Map<string, AbortController>();
  let opened: Promise<Docker> | undefined;
  const engine = () => (opened ??= connect(dockerSocket));
  const nameOf = (id: string) => containerName(gatewayId, id);
  const containerOf = async (id: string) => (await engine()).getContainer(nameOf(id));

  return {
    name: 'docker',
    diagnose: async () => diagnoseEngine(await engine(), dockerSocket),
    obtain: async (spec, onProgress, cancelled) => {
      await told(engine().then((docker) => obtainImage(docker, imageOf(spec), onProgress, cancelled)));
    },
    start: (spec, onProgress) => {
      const cancellation = new AbortController();
      starts.set(spec.id, cancellation);
      return inTurn(spec.id, () => told(start(spec, onProgress, cancellation.signal))).finally(() => {
        if (starts.get(spec.id) === cancellation) starts.delete(spec.id);
      });
    },
    status: (id) => told(status(id)),
    pause: (id) => inTurn(id, () => told(pause(id))),
    resume: (id) => inTurn(id, () => told(resume(id))),
    stop: (id) => {
      starts.get(id)?.abort();
      return inTurn(id, () => told(stop(id)));
    },
    list: () => told(list()),
    close: async () => {
      for (const cancellation of starts.values()) cancellation.abort();
      await inTurn.settled();
    },
  };

  async function start(
    spec: SandboxSpec,
    onProgress: (text: string) => void,
    cancelled: AbortSignal,
  ): Promise<void> {
    const is = await status(spec.id);
    const container = is === 'gone' ? await create(spec, onProgress, cancelled) : await containerOf(spec.id);
    try {
      if (is === 'gone') await container.start();
      if (is === 'paused') await container.unpause();
      await answering(container, spec);
    } catch (error) {
      await remove(container);
      throw /exec: "bash": .*not found/.test((error as Error).message)
        ? new DriverError(`Image '${imageOf(spec)}' has no bash; use one that has, such as debian:bookworm`)
        : error;
    }
  }

  async function create(
    spec: SandboxSpec,
    onProgress: (text: string) => void,
    cancelled: AbortSignal,
  ): Promise<Docker.Container> {
    const docker = await engine();
    const imageName = imageOf(spec);
    const image = await obtainImage(docker, imageName, onProgress, cancelled);
    await remove(await containerOf(spec.id));
    // What was left there would be asked in vain, or is a trap.
    await removeTree(join(spec.directories.run, runFiles.socket));
    const supply = editorSupply(editor, 'mounts');
    return docker.createContainer(containerOptions({ spec, imageName, image, bundle, supply, gatewayId }));
  }

  function imageOf(spec: SandboxSpec): string {
    return spec.image ?? defaultImage;
  }

  async function status(id: string): Promise<SandboxStatus> {
    try {
      const { State } = await (await containerOf(id)).inspect();
      return State.Paused ? 'paused' : State.Running ? 'running' : 'gone';
    } catch (error) {
      if (statusOf(error) === 404) return 'gone';
      throw error;
    }
  }

  async function pause(id: string): Promise<void> {
    const is = await status(id);
    if (is === 'gone') throw new DriverError(`There is no sandbox of session ${id} to pause; start it again`);
    if (is === 'running') await (await containerOf(id)).pause();
  }

  async function resume(id: string): Promise<void> {
    const is = await status(id);
    if (is === 'gone')
      throw new DriverError(`There is no sandbox of session ${id} to resume; start it again`);
    if (is === 'paused') await (await containerOf(id)).unpause();
  }

  async function stop(id: string): Promise<void> {
    const container = await containerOf(id);
    try {
      await container.stop({ t: stopSeconds });
    } catch (error) {
      // 304: it has ended already.
      if (statusOf(error) !== 304 && statusOf(error) !== 404) throw error;
    }
    await remove(container);
  }

  async function list(): Promise<string[]> {
    const filters = { label: [`${gatewayLabel}=${gatewayId}`] };
    const containers = await (await engine()).listContainers({ all: true, filters });
    return containers.flatMap(({ Labels }) => Labels[sessionLabel] ?? []);
  }

  /** What the engine refuses, in words that a user can act on. */
  async function told<Value>(work: Promise<Value>): Promise<Value> {
    try {
      return await work;
    } catch (error) {
      throw engineFailure(error, dockerSocket);
    }
  }
}

/** The library takes a while to load, and not every gateway has a Docker engine. */
async function connect(socketPath: string): Promise<Docker> {
  const { default: DockerClient } = await import('dockerode');
  // `host` would come from DOCKER_HOST, whose engine does not see this machine's directories.
  return new DockerClient({ socketPath, host: undefined, timeout: silenceMs });
}

async function answering(container: Docker.Container, spec: SandboxSpec): Promise<void> {
  const watching = new AbortController();
  try {
    const gone = ended(container, watching.signal);
    await awaitSocket({ run: spec.directories.run, timeoutMs: startTimeoutMs, gone });
  } catch (error) {
    throw new DriverError(`${(error as Error).message}${await containerLog(container)}`, { cause: error });
  } finally {
    watching.abort();
  }
}

async function remove(container: Docker.Container): Promise<void> {
  try {
    await container.remove({ force: true, v: true });
  } catch (error) {
    // 409: the engine is removing it; it is done when the container cannot be waited for.
    if (statusOf(error) === 409) await container.wait({ condition: 'removed' }).catch(() => undefined);
    else if (statusOf(error) !== 404) throw error;
  }
}

/** How the container ended; of no interest when it was called off. */
async function ended(container: Docker.Container, calledOff: AbortSignal): Promise<string> {
  try {
    const { StatusCode } = (await container.wait({ abortSignal: calledOff })) as { StatusCode: number };
    return `its container ended with code ${StatusCode}`;
  } catch (error) {
    return engineText(error);
  }
}
