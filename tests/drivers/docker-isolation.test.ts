import { once } from 'node:events';
import { chownSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { dockerTags, useDockerEngine } from '../support/docker.ts';
import { useDockerSandboxes } from '../support/docker-sandbox.ts';
import { act } from './support/act.ts';
import { until } from './support/until.ts';

describe('what a container sandbox may do', { tags: dockerTags, timeout: 60_000 }, () => {
  const engine = useDockerEngine();
  const sandboxes = useDockerSandboxes(engine);

  it('has of root’s powers only those that installing packages and ending processes needs', async () => {
    const spec = sandboxes.spec();
    await sandboxes.start(spec);
    const { content } = await act(spec, 'grep -E "^(Cap(Prm|Eff|Bnd)|NoNewPrivs)" /proc/self/status');
    // CHOWN, DAC_OVERRIDE, FOWNER, KILL, SETGID, SETUID are bits 0, 1, 3, 5, 6, 7.
    const powers = '00000000000000eb';
    expect(content.replaceAll('\t', ' ').split('\n')).toEqual([
      `CapPrm: ${powers}`,
      `CapEff: ${powers}`,
      `CapBnd: ${powers}`,
      'NoNewPrivs: 1',
    ]);
    for (const command of [
      'mount -t tmpfs none /mnt',
      'mknod /tmp/disk b 8 0',
      'hostname other',
      'chroot /',
    ]) {
      expect((await act(spec, command)).exitCode, command).not.toBe(0);
    }
  });

  it('installs a package', async () => {
    const spec = sandboxes.spec();
    await sandboxes.start(spec);
    const script = `set -e
mkdir -p /tmp/greeter/DEBIAN /tmp/greeter/usr/bin
printf 'Package: greeter\\nVersion: 1\\nArchitecture: all\\nMaintainer: me\\nDescription: greets\\n' >/tmp/greeter/DEBIAN/control
printf '#!/bin/sh\\nset -e\\nuseradd --system greeter\\nchown greeter /usr/bin/greeter\\n' >/tmp/greeter/DEBIAN/postinst
printf '#!/bin/sh\\necho hello\\n' >/tmp/greeter/usr/bin/greeter
chmod 755 /tmp/greeter/DEBIAN/postinst /tmp/greeter/usr/bin/greeter
dpkg-deb --root-owner-group --build /tmp/greeter /tmp/greeter.deb
apt-get install -y /tmp/greeter.deb
`;
    writeFileSync(join(spec.directories.workspace, 'install.sh'), script);
    const installed = await act(spec, 'bash install.sh');
    expect(installed.exitCode, installed.content).toBe(0);
    expect((await act(spec, 'greeter; stat -c %U /usr/bin/greeter')).content).toMatch(/^hello\ngreeter$/);
  });

  it('runs as the gateway’s user, with no power at all where that is not root', async () => {
    const [uid, gid] = [12_345, 23_456];
    vi.spyOn(process, 'getuid').mockReturnValue(uid);
    vi.spyOn(process, 'getgid').mockReturnValue(gid);
    onTestFinished(() => void vi.restoreAllMocks());
    const spec = sandboxes.spec();
    for (const path of Object.values(spec.directories)) chownSync(path, uid, gid);
    await sandboxes.start(spec);
    const { content } = await act(
      spec,
      'echo mine >file; echo mine >~/file; id -u; id -g; grep CapEff /proc/self/status; cat ~/file',
    );
    expect(content.replaceAll('\t', ' ').split('\n').slice(0, 4)).toEqual([
      String(uid),
      String(gid),
      'CapEff: 0000000000000000',
      'mine',
    ]);
    const file = statSync(join(spec.directories.workspace, 'file'));
    expect([file.uid, file.gid]).toEqual([uid, gid]);
  });

  it('sees of the machine only its own directories and, unchangeable, the sandbox server', async () => {
    const spec = sandboxes.spec();
    const other = sandboxes.spec();
    await sandboxes.start(spec);
    await sandboxes.start(other);
    await act(other, 'echo secret >file');
    const mounts = await act(spec, `awk '$5 !~ "^/(proc|sys|dev|etc|$)" {print $5}' /proc/self/mountinfo`);
    expect(mounts.content.split('\n').toSorted()).toEqual([
      '/home/agent',
      '/opt/fairlead',
      '/run/fairlead',
      '/workspace',
    ]);
    expect((await act(spec, 'touch /opt/fairlead/server/entry.mjs')).content).toContain('Read-only');
    expect((await act(spec, 'ls /run/docker.sock /var/run/docker.sock')).exitCode).toBe(2);
    expect((await act(spec, `ls ${other.directories.workspace}`)).exitCode).toBe(2);
    const processes = await act(spec, 'ls -d /proc/[0-9]* | wc -l');
    expect(Number(processes.content)).toBeLessThan(20);
  });

  it('reaches neither processes nor files nor ports of the machine', async () => {
    const spec = sandboxes.spec();
    const secret = join(spec.directories.run, '..', 'secret');
    writeFileSync(secret, 'of the machine');
    symlinkSync(secret, join(spec.directories.workspace, 'link'));
    const listener = createServer().listen(0, '127.0.0.1');
    await once(listener, 'listening');
    onTestFinished(() => void listener.close());
    const { port } = listener.address() as AddressInfo;
    await sandboxes.start(spec);
    const attempts = {
      'cat link': 'No such file',
      [`cat ${secret}`]: 'No such file',
      [`kill -0 ${process.pid}`]: 'No such process',
      [`: </dev/tcp/127.0.0.1/${port}`]: 'Connection refused',
      'unshare --user true': 'Operation not permitted',
      'unshare --mount true': 'Operation not permitted',
      'nsenter --target 1 --net true': 'Operation not permitted',
      'echo x >/proc/sys/kernel/core_pattern': 'Read-only file system',
      'echo 1 >/sys/fs/cgroup/pids/cgroup.procs || echo 1 >/sys/fs/cgroup/cgroup.procs':
        'Read-only file system',
      'head -c 1 /proc/kcore | wc -c': '0',
    };
    for (const [command, refusal] of Object.entries(attempts)) {
      expect((await act(spec, command)).content, command).toContain(refusal);
    }
  });

  it('survives the death of everything in it', async () => {
    const spec = sandboxes.spec();
    await sandboxes.start(spec);
    await act(spec, 'kill -9 -1').catch(() => undefined);
    await until(() => act(spec, 'true').catch(() => false), 'the server to come back');
    expect(await sandboxes.driver.status(spec.id)).toBe('running');
  });
});
