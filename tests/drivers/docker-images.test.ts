import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { dockerTags, useDockerEngine } from '../support/docker.ts';
import { dockerImages, prepareDockerImages } from '../support/docker-images.ts';
import { useDockerSandboxes } from '../support/docker-sandbox.ts';
import { act } from './support/act.ts';

describe('images of container sandboxes', { tags: dockerTags, timeout: 60_000 }, () => {
  const engine = useDockerEngine();
  const sandboxes = useDockerSandboxes(engine);

  it('need nothing but bash: neither a C library nor tmux nor users', async () => {
    const spec = sandboxes.spec({ image: dockerImages.bare });
    await sandboxes.start(spec);
    expect((await act(spec, 'ls /lib /etc/passwd; type tmux')).exitCode).not.toBe(0);
    expect(await act(spec, 'cd /tmp; name=value; (exit 7)')).toMatchObject({ exitCode: 7 });
    expect((await act(spec, 'echo $name in $PWD')).content).toBe('value in /tmp');
    const lines = (await act(spec, 'seq 1000')).content.split('\n');
    expect([lines.length, lines.at(-1)]).toEqual([1000, '1000']);
  });

  it('without bash are refused, and leave no container', async () => {
    const spec = sandboxes.spec({ image: dockerImages.noBash });
    await expect(sandboxes.start(spec)).rejects.toThrow(
      `Image '${dockerImages.noBash}' has no bash; use one that has, such as debian:bookworm`,
    );
    expect(await sandboxes.driver.list()).toEqual([]);
  });

  it('keep their variables, except those that would be settings of the sandbox server', async () => {
    const image = await imageWith(
      'ENV OWN=kept LANG=POSIX SESSION_API_KEY=stray FAIRLEAD_HOST=0.0.0.0 HOME=/root',
    );
    const spec = sandboxes.spec({ image, env: { GIVEN: 'by the session', SESSION_API_KEY: 'stray too' } });
    await sandboxes.start(spec);
    const { content } = await act(
      spec,
      'echo "$OWN, $LANG, $HOME, $GIVEN, [$SESSION_API_KEY$FAIRLEAD_HOST]"',
    );
    expect(content).toBe('kept, POSIX, /home/agent, by the session, []');
  });

  it('may have variables that would break the sandbox server, for the shells', async () => {
    const image = await imageWith('ENV NODE_OPTIONS=--no-such-option', 'ENV LD_PRELOAD=/no/such.so');
    const spec = sandboxes.spec({ image });
    await sandboxes.start(spec);
    expect((await act(spec, 'echo $NODE_OPTIONS $LD_PRELOAD')).content).toBe('--no-such-option /no/such.so');
  });

  it('may set an entry point and a user, which do not count', async () => {
    const image = await imageWith('ENTRYPOINT ["/bin/false"]', 'USER 4711', 'WORKDIR /nowhere');
    const spec = sandboxes.spec({ image });
    await sandboxes.start(spec);
    expect((await act(spec, 'echo $(id -u) $PWD')).content).toBe(`${process.getuid!()} /workspace`);
  });

  it('are pulled where they are missing, with progress', async () => {
    const image = `127.0.0.1:${await registryPort()}/slow`;
    onTestFinished(async () => void (await engine.docker('rmi', '--force', image)));
    const spec = sandboxes.spec({ image });
    const lines = await sandboxes.start(spec);
    expect(lines[0]).toBe(`Pulling ${image}`);
    const amounts = lines.flatMap((line) => /^Pulling \S+: ([\d.]+) of [\d.]+ MB$/.exec(line)?.[1] ?? []);
    expect(amounts.length).toBeGreaterThan(1);
    expect(amounts).toEqual(amounts.toSorted((one, other) => Number(one) - Number(other)));
    expect((await act(spec, 'echo pulled')).content).toBe('pulled');
    expect(await sandboxes.start(sandboxes.spec({ image }))).toEqual([]);
  });

  it('stop being pulled when the session is stopped', async () => {
    const image = `127.0.0.1:${await registryPort()}/stuck`;
    const spec = sandboxes.spec({ image });
    let isUnderWay: () => void;
    const underWay = new Promise<void>((resolve) => (isUnderWay = resolve));
    const starting = sandboxes.driver.start(spec, (line) => line.endsWith('MB') && isUnderWay());
    const outcome = expect(starting).rejects.toThrow(`The sandbox was stopped while '${image}' was pulled`);
    await underWay;
    await sandboxes.driver.stop(spec.id);
    await outcome;
  });

  it('are pulled before a start, until nobody wants them any more', async () => {
    const port = await registryPort();
    const spec = sandboxes.spec({ image: `127.0.0.1:${port}/stuck` });
    const cancellation = new AbortController();
    const cancel = (line: string) => line.endsWith('MB') && cancellation.abort();
    const pulling = sandboxes.driver.obtain!(spec, cancel, cancellation.signal);
    await expect(pulling).rejects.toThrow(`The sandbox was stopped while '${spec.image}' was pulled`);
    expect(await sandboxes.driver.status(spec.id)).toBe('gone');

    const image = `127.0.0.1:${port}/slow`;
    onTestFinished(async () => void (await engine.docker('rmi', '--force', image)));
    const lines: string[] = [];
    const never = new AbortController().signal;
    await sandboxes.driver.obtain!(sandboxes.spec({ image }), (line) => lines.push(line), never);
    expect(lines[0]).toBe(`Pulling ${image}`);
    expect(await sandboxes.start(sandboxes.spec({ image }))).toEqual([]);
  });

  it('that cannot be pulled are an error that says what to do', async () => {
    const image = `127.0.0.1:${await registryPort()}/slow@sha256:${'0'.repeat(64)}`;
    const failure = sandboxes.start(sandboxes.spec({ image }));
    await expect(failure).rejects.toMatchObject({ name: 'DriverError' });
    await expect(failure).rejects.toThrow(
      new RegExp(`^Image '${image}' could not be pulled: .+ Check its name .+ docker pull ${image}$`),
    );
    const unreachable = sandboxes.start(sandboxes.spec({ image: '127.0.0.1:1/nothing' }));
    await expect(unreachable).rejects.toThrow(/could not be pulled: .*connection refused/);
  });

  /** The bare image, changed. */
  async function imageWith(...changes: string[]): Promise<string> {
    const container = await engine.docker('create', dockerImages.bare, 'true');
    const args = changes.flatMap((change) => ['--change', change]);
    const image = await engine.docker('commit', ...args, container);
    await engine.docker('rm', container);
    return image;
  }

  /** A registry in the engine's network. */
  async function registryPort(): Promise<string> {
    const program = fileURLToPath(new URL('../support/docker-registry.ts', import.meta.url));
    const { file } = (await prepareDockerImages()).find(({ name }) => name === dockerImages.bare)!;
    const args = ['--target', String(engine.pid), '--net', process.execPath, program, file];
    const registry = spawn('nsenter', args, { stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(async () => {
      registry.kill();
      await once(registry, 'exit');
    });
    const [port] = (await once(createInterface(registry.stdout), 'line')) as [string];
    return port;
  }
});
