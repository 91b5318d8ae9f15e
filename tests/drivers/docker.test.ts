import { existsSync, readFileSync, renameSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { dockerTags, useDockerEngine } from '../support/docker.ts';
import { useDockerSandboxes } from '../support/docker-sandbox.ts';
import { act } from './support/act.ts';

describe('the docker driver', { tags: dockerTags, timeout: 60_000 }, () => {
  const engine = useDockerEngine();
  const sandboxes = useDockerSandboxes(engine);

  it('tells which engine it uses', async () => {
    expect(await sandboxes.driver.diagnose()).toEqual({
      ok: true,
      detail: expect.stringMatching(/^Docker \d+\.\d+.* \(linux, \w+\) at \/.*docker\.sock$/),
    });
  });

  it('keeps to its own engine where DOCKER_HOST names another', async () => {
    vi.stubEnv('DOCKER_HOST', 'tcp://127.0.0.1:1');
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(await sandboxes.openDriver().diagnose()).toMatchObject({ ok: true });
  });

  it('says what to do where there is no engine', async () => {
    const driver = sandboxes.openDriver({ dockerSocket: '/nonexistent/docker.sock' });
    expect(await driver.diagnose()).toEqual({
      ok: false,
      detail: 'There is no Docker engine at /nonexistent/docker.sock',
      remedy: expect.stringContaining('apt-get install docker.io'),
    });
    const failure = 'There is no Docker engine at /nonexistent/docker.sock. Install one';
    const spec = sandboxes.spec();
    await expect(driver.start(spec, () => undefined)).rejects.toThrow(failure);
    await expect(driver.list()).rejects.toThrow(failure);
    await expect(driver.stop(spec.id)).rejects.toMatchObject({ name: 'DriverError' });
  });

  it('says what to do where the engine has ended', async () => {
    const { run } = sandboxes.spec().directories;
    const dead = join(run, 'dead.sock');
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(join(run, 'docker.sock'), resolve));
    // Node removes the socket under the name it made.
    renameSync(join(run, 'docker.sock'), dead);
    await new Promise((resolve) => server.close(resolve));
    expect(await sandboxes.openDriver({ dockerSocket: dead }).diagnose()).toEqual({
      ok: false,
      detail: `The Docker engine at ${dead} is not running`,
      remedy: 'Start it: sudo systemctl start docker',
    });
  });

  it('does not take an engine that maps users', async () => {
    const path = join(sandboxes.spec().directories.run, 'docker.sock');
    const standIn = createHttpServer((_request, response) => {
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify({ ServerVersion: '28.0.0', SecurityOptions: ['name=rootless'] }));
    });
    await new Promise<void>((resolve) => standIn.listen(path, resolve));
    onTestFinished(() => void standIn.close());
    expect(await sandboxes.openDriver({ dockerSocket: path }).diagnose()).toMatchObject({
      ok: false,
      remedy: 'Use an engine that runs as root and without userns-remap',
    });
  });

  it('marks its containers, and finds them again after a restart of the gateway', async () => {
    const spec = sandboxes.spec();
    await sandboxes.start(spec);
    await act(spec, 'cd /tmp && left=behind');
    const name = sandboxes.nameOf(spec);
    const labels = await engine.docker('inspect', '--format', '{{json .Config.Labels}}', name);
    expect(JSON.parse(labels)).toEqual({
      'fairlead.gateway': sandboxes.gatewayId,
      'fairlead.session': spec.id,
    });
    await sandboxes.driver.close();
    const next = sandboxes.openDriver();
    expect(await next.list()).toEqual([spec.id]);
    expect(await next.status(spec.id)).toBe('running');
    expect((await act(spec, 'echo $left $PWD')).content).toBe('behind /tmp');
    const stranger = sandboxes.openDriver({ gatewayId: 'another' });
    expect(await stranger.list()).toEqual([]);
    await next.stop(spec.id);
    expect(await next.list()).toEqual([]);
  });

  it('starts a killed container again on its workspace and its journal', async () => {
    const spec = sandboxes.spec();
    const once = { 'Idempotency-Key': 'once' };
    await sandboxes.start(spec);
    const first = await act(spec, 'echo x >>runs; cat runs', once);
    await engine.docker('kill', sandboxes.nameOf(spec));
    expect(await sandboxes.driver.status(spec.id)).toBe('gone');
    await sandboxes.start(spec);
    expect(await sandboxes.driver.status(spec.id)).toBe('running');
    expect(await act(spec, 'echo x >>runs; cat runs', once)).toEqual(first);
    expect(await act(spec, 'cat runs')).toMatchObject({ content: 'x', exitCode: 0 });
  });

  it('ends a sandbox in good order, and leaves neither container nor volume', async () => {
    const spec = sandboxes.spec();
    await sandboxes.start(spec);
    await act(spec, '(setsid sleep 1000 &)');
    await sandboxes.driver.stop(spec.id);
    expect(await engine.docker('ps', '--all', '--quiet', '--filter', `name=${spec.id}`)).toBe('');
    expect(await engine.docker('volume', 'ls', '--quiet')).toBe('');
    expect(readFileSync(join(spec.directories.run, 'server.log'), 'utf8')).toContain('stopped');
    expect(existsSync(join(spec.directories.run, 'server.sock'))).toBe(false);
  });

  it('removes the container of a sandbox that does not start, and says what it said', async () => {
    vi.spyOn(process, 'getuid').mockReturnValue(12_345);
    onTestFinished(() => void vi.restoreAllMocks());
    const spec = sandboxes.spec();
    await expect(sandboxes.start(spec)).rejects.toMatchObject({
      name: 'DriverError',
      message: expect.stringMatching(/^The sandbox did not start: .*\/run\/fairlead.*[Pp]ermission denied/),
    });
    expect(await sandboxes.driver.list()).toEqual([]);
  });
});
