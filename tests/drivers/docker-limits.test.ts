import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { SandboxSpec } from '../../packages/gateway/src/drivers/driver.ts';
import { describe, expect, it } from 'vitest';
import { dockerTags, useDockerEngine } from '../support/docker.ts';
import { useDockerSandboxes } from '../support/docker-sandbox.ts';
import { act } from './support/act.ts';

describe('the limits of a container sandbox', { tags: dockerTags, timeout: 60_000 }, () => {
  const engine = useDockerEngine();
  const sandboxes = useDockerSandboxes(engine);

  it('are the session’s, also where the machine has less', async () => {
    const spec = sandboxes.spec({ limits: { cpus: 900.5, memoryMb: 256, pids: 200 } });
    await sandboxes.start(spec);
    expect(await hostConfig(spec)).toMatchObject({
      CpuQuota: 90_050_000,
      CpuPeriod: 100_000,
      Memory: 256 * 1024 * 1024,
      MemorySwap: 256 * 1024 * 1024,
      PidsLimit: 200,
    });
  });

  it('bound the number of processes of a session that asked for none', async () => {
    const spec = sandboxes.spec();
    await sandboxes.start(spec);
    expect(await hostConfig(spec)).toMatchObject({ CpuQuota: 0, Memory: 0, PidsLimit: 4096 });
  });

  it('hold a fork bomb, which can be ended', async () => {
    const pids = 60;
    const spec = sandboxes.spec({ limits: { pids, cpus: 0.5 } });
    await sandboxes.start(spec);
    await act(spec, 'bomb() { bomb | bomb & }; (bomb >/dev/null 2>&1 &)').catch(() => undefined);
    await expect.poll(() => refusedForks(spec), { timeout: 30_000 }).toBeGreaterThan(0);
    const processes = await engine.docker('top', sandboxes.nameOf(spec), '-o', 'pid');
    expect(processes.split('\n').length - 1).toBeLessThanOrEqual(pids);
    await sandboxes.driver.stop(spec.id);
    expect(await sandboxes.driver.status(spec.id)).toBe('gone');
  });

  it('end a program that takes too much memory, and the session goes on', async () => {
    const spec = sandboxes.spec({ limits: { memoryMb: 192 } });
    await sandboxes.start(spec);
    const hog = await act(spec, 'head -c 1G /dev/zero | tail -c 900M | wc -c');
    expect(hog.content).not.toContain('943718400');
    expect(await act(spec, 'echo still here')).toMatchObject({
      content: 'still here',
      exitCode: 0,
    });
  });

  async function hostConfig(spec: SandboxSpec): Promise<unknown> {
    return JSON.parse(
      await engine.docker('inspect', '--format', '{{json .HostConfig}}', sandboxes.nameOf(spec)),
    );
  }

  /** How often the kernel refused a process, from the container's own cgroup. */
  async function refusedForks(spec: SandboxSpec): Promise<number> {
    const container = await engine.docker('inspect', '--format', '{{.Id}}', sandboxes.nameOf(spec));
    const group = join(basename(dirname(engine.socket)), container);
    const [events] = ['/sys/fs/cgroup/pids', '/sys/fs/cgroup']
      .map((hierarchy) => join(hierarchy, group, 'pids.events'))
      .filter((path) => existsSync(path));
    return Number(/^max (\d+)$/m.exec(readFileSync(events!, 'utf8'))![1]);
  }
});
