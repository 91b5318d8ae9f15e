import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir, hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Driver, SandboxSpec } from '../../packages/gateway/src/drivers/driver.ts';
import { connectToSandbox } from '../../packages/gateway/src/drivers/sandbox-socket.ts';
import { logTail } from '../../packages/gateway/src/drivers/log-tail.ts';
import { act } from './support/act.ts';
import { newId, Place } from './support/place.ts';
import { argvOf, firstOf, processesOf, read, serverOf } from './support/processes.ts';
import { until } from './support/until.ts';

export interface IsolationUnderTest {
  open(stateDir: string): Promise<Driver>;
  /** Who the gateway runs as, when that is not the test's own user. */
  owner?: number;
}

const attemptsFile = 'escape_attempts.py';

/** Tries to get out of a sandbox, and asserts of each attempt that it was really made. */
export function describeIsolation(name: string, under: IsolationUnderTest): void {
  describe(`a sandbox: ${name}`, { tags: ['bwrap', 'python3'] }, () => {
    let place: Place;
    let driver: Driver;
    let attacker: SandboxSpec;
    let victim: SandboxSpec;
    let bystander: ChildProcess;
    const secret = newId();

    beforeAll(async () => {
      place = new Place(under.owner);
      for (const file of ['fairlead.db', 'key', 'secret']) {
        writeFileSync(join(place.stateDir, file), secret, { mode: 0o600 });
        place.giveAway(join(place.stateDir, file));
      }
      bystander = spawn('sleep', ['1000'], { stdio: 'ignore', env: { ...process.env, HOST_SECRET: secret } });
      process.env['HOST_SECRET'] = secret;
      driver = await under.open(place.stateDir);
      attacker = place.spec();
      victim = place.spec({ env: { VICTIM_SECRET: secret } });
      await Promise.all([attacker, victim].map((spec) => driver.start(spec, () => {})));
      await act(victim, `echo ${secret} >secret.txt; (setsid sleep 1001 &)`);
      copyFileSync(
        new URL(`support/${attemptsFile}`, import.meta.url),
        join(attacker.directories.workspace, attemptsFile),
      );
      place.giveAway(join(attacker.directories.workspace, attemptsFile));
    });

    afterAll(async () => {
      bystander.kill('SIGKILL');
      delete process.env['HOST_SECRET'];
      await Promise.all([attacker, victim].map((spec) => driver.stop(spec.id)));
      await driver.close();
      place.remove();
    });

    /** What a script printed inside; it must have come to its end. */
    async function inside(script: string): Promise<string> {
      writeFileSync(join(attacker.directories.workspace, 'attempt'), `${script}\necho "tried: $?"\n`, {
        mode: 0o644,
      });
      const { content } = await act(attacker, 'bash attempt </dev/null 2>&1 | cat');
      expect(content).toMatch(/tried: \d+$/);
      return content.replace(/\n?tried: \d+$/, '');
    }

    test('sees of the root directory what it was given', async () => {
      const links = readdirSync('/').filter((entry) => /^(bin|sbin|lib\w*)$/.test(entry));
      const expected = [
        ...links,
        'dev',
        'etc',
        'home',
        'opt',
        'proc',
        'run',
        'tmp',
        'usr',
        'var',
        'workspace',
      ];
      expect((await inside('ls -A /')).split('\n')).toEqual(expected.toSorted());
      expect(await inside('ls -A /home /opt /run /var')).toBe(
        '/home:\nagent\n\n/opt:\nfairlead\nfairlead-editor\n\n/run:\nfairlead\n\n/var:\ntmp',
      );
      expect(await inside('ls -A ~ /tmp')).toBe('/home/agent:\n\n/tmp:');
    });

    test('cannot read files of the machine, of the gateway or of another session', async () => {
      const paths = [
        ...['fairlead.db', 'key', 'secret', 'local'].map((file) => join(place.stateDir, file)),
        join(victim.directories.workspace, 'secret.txt'),
        join(victim.directories.run, 'server.sock'),
        '/etc/shadow',
        '/etc/gshadow',
        '/etc/hostname',
        homedir(),
        fileOfTheCheckout(),
      ];
      for (const path of paths) {
        expect(existsSync(path), path).toBe(true);
        expect(await inside(`cat '${path}'`)).toBe(`cat: ${path}: No such file or directory`);
      }
      const others = [
        '/root',
        '/mnt',
        '/srv',
        '/boot',
        '/sys',
        '/etc/ssh',
        '/etc/gitconfig',
        '/etc/ssl/private',
      ];
      for (const path of [...others, '/run/docker.sock', '/var/run/docker.sock', '/run/dbus', '/run/user'])
        expect(await inside(`ls -d ${path}`)).toContain('No such file or directory');
    });

    test('does not find by searching what is not there by name', async () => {
      const marker = `marker-${newId()}`;
      const directories = [tmpdir(), homedir(), place.stateDir, victim.directories.workspace, '/dev/shm'];
      for (const directory of directories) writeFileSync(join(directory, marker), secret);
      onTestFinished(() => directories.forEach((directory) => rmSync(join(directory, marker))));
      expect(Number(await inside('find / 2>/dev/null | wc -l'))).toBeGreaterThan(1_000);
      expect(await inside(`find / -name '${marker}' 2>/dev/null`)).toBe('');
      const sockets = (await inside('find / -type s 2>/dev/null')).split('\n').toSorted();
      expect(sockets).toEqual(['/run/fairlead/server.sock', '/run/fairlead/session/tmux']);
    });

    test('follows links of the workspace to its own files only', async () => {
      const link = join(attacker.directories.workspace, 'link');
      symlinkSync(join(place.stateDir, 'key'), link);
      onTestFinished(() => rmSync(link));
      expect(readFileSync(link, 'utf8')).toBe(secret);
      expect(await inside('cat link')).toBe('cat: link: No such file or directory');
      expect(await inside('cd /workspace/../.. && pwd && ls -d workspace')).toBe('/\nworkspace');
    });

    test('sees no process but its own, and none of its secrets are anybody else’s', async () => {
      expect(read(bystander.pid!, 'environ')).toContain(secret);
      const pids = (await inside('ls -d /proc/[0-9]*')).split('\n').length;
      expect(pids).toBeGreaterThan(4);
      expect(pids).toBeLessThan(20);
      expect(await inside('cat /proc/[0-9]*/cmdline | tr "\\0" " "')).not.toMatch(/sleep|vitest|bwrap/);
      const environments = await inside('cat /proc/[0-9]*/environ | tr "\\0" "\\n" | cut -d= -f1 | sort -u');
      expect(environments).toContain('HOME');
      expect(environments).not.toMatch(/SECRET|VITEST|npm_/);
      expect(
        await inside('ls -l /proc/[0-9]*/fd /proc/[0-9]*/cwd 2>/dev/null | grep -c "/workspace"'),
      ).not.toBe('0');
      const held = await inside(
        'ls -l /proc/[0-9]*/fd /proc/[0-9]*/cwd /proc/[0-9]*/root 2>/dev/null | grep -o "> /.*"',
      );
      const elsewhere = held
        .split('\n')
        .filter(
          (line) =>
            !/^> \/($|dev\/|usr\/|opt\/fairlead|home\/agent|workspace|run\/fairlead|tmp|proc)/.test(line),
        );
      expect(elsewhere).toEqual([]);
    });

    test('has no secret of a session in a list of processes, or in the environment of what is outside', () => {
      const outside = processesOf(victim.id).filter((pid) => /(^|\/)bwrap$/.test(argvOf(pid)[0] ?? ''));
      expect(outside).toHaveLength(1);
      expect(
        read(outside[0]!, 'environ')
          .split('\0')
          .filter(Boolean)
          .map((entry) => entry.split('=')[0]),
      ).toEqual(expect.not.arrayContaining(['VICTIM_SECRET', 'HOME', 'VITEST']));
      for (const pid of processesOf(victim.id)) expect(read(pid, 'cmdline')).not.toContain(secret);
      expect(read(serverOf(victim.id), 'environ')).toContain(secret);
    });

    test('is refused by the kernel whatever would lead out', async () => {
      const told = await inside(`/usr/bin/python3 ${attemptsFile} /tmp ${bystander.pid}`);
      const { outcomes, tried } = JSON.parse(told) as { outcomes: Record<string, unknown>; tried: number };
      const expected: Record<string, string> = {
        'become root': expect.stringMatching(/^(EPERM|EINVAL)$/) as string,
        // Or the kernel has no modules.
        'load a module': expect.stringMatching(/^(EPERM|ENOSYS)$/) as string,
        'trace a process of the machine': 'ESRCH',
        'signal a process of the machine': 'ESRCH',
        "write to the server's program": expect.stringMatching(/^(EROFS|ETXTBSY|EACCES)$/) as string,
        'write to the program of process 1': expect.stringMatching(/^(EROFS|ETXTBSY|EACCES)$/) as string,
      };
      for (const [attempt, outcome] of Object.entries(outcomes)) {
        // Everybody may ask to be told of pressure.
        if (Array.isArray(outcome))
          expect(
            outcome.filter((path) => !String(path).startsWith('/proc/pressure/')),
            attempt,
          ).toEqual([]);
        else expect(outcome, attempt).toEqual(expected[attempt] ?? 'EPERM');
      }
      expect(Object.keys(outcomes).length).toBeGreaterThan(25);
      expect(tried).toBeGreaterThan(200);
      expect(bystander.exitCode ?? bystander.signalCode).toBeNull();
      expect(hostname()).not.toBe('taken');
    });

    test('is refused by the sandbox, not because the attempts are wrong', () => {
      const harmless = ["the session's keyring", 'signal a process of the machine', 'a mount namespace'];
      const file = new URL(`support/${attemptsFile}`, import.meta.url).pathname;
      const target = spawn('sleep', ['1000'], { stdio: 'ignore' });
      const args = [file, '/nonexistent', String(target.pid), ...harmless];
      const { stdout } = spawnSync('/usr/bin/python3', args, { encoding: 'utf8' });
      target.kill('SIGKILL');
      const { outcomes } = JSON.parse(stdout) as { outcomes: Record<string, unknown> };
      expect(outcomes).toMatchObject({
        "the session's keyring": 'done',
        'signal a process of the machine': 'done',
      });
      if (process.getuid?.() === 0) expect(outcomes['a mount namespace']).toBe('done');
    });

    test('cannot change the system or the program that serves it', async () => {
      const places = [
        '/',
        '/usr',
        '/usr/bin',
        '/etc',
        '/opt',
        '/opt/fairlead',
        '/opt/fairlead/bin',
        '/home',
        '/run',
        '/var',
      ];
      for (const directory of places)
        expect(await inside(`touch ${directory}/new`)).toContain('Read-only file system');
      expect(await inside('echo x >>/etc/passwd; rm /usr/bin/env; mv /opt/fairlead/bin/node /tmp')).toMatch(
        /passwd: Read-only.*\n.*env.*Read-only.*\n.*node.*Read-only/,
      );
    });

    test('has no capabilities, no way to get any, and only harmless devices', async () => {
      const status = await inside(
        'grep -E "^(Cap(Inh|Prm|Eff|Amb)|NoNewPrivs|Seccomp):" /proc/self/status | tr -d "\\t"',
      );
      expect(status.split('\n')).toEqual([
        ...['Inh', 'Prm', 'Eff', 'Amb'].map((set) => `Cap${set}:0000000000000000`),
        'NoNewPrivs:1',
        'Seccomp:2',
      ]);
      expect(await inside('find /usr -perm -4000 | wc -l')).not.toBe('0');
      const own = await inside('id -u');
      expect(
        await inside('cp /usr/bin/id /tmp/id && chmod 6755 /tmp/id && stat -c %a /tmp/id && /tmp/id -u'),
      ).toBe(`6755\n${own}`);
      const devices = await inside(
        'for file in /dev/*; do if [[ ! -L $file && ( -b $file || -c $file ) ]]; then echo $file; fi; done',
      );
      expect(devices.split('\n')).toEqual(
        ['full', 'null', 'random', 'tty', 'urandom', 'zero'].map((device) => `/dev/${device}`),
      );
    });

    test('holds no terminal of the gateway', async () => {
      const descriptors = await inside('readlink /proc/1/fd/0 /proc/1/fd/1 /proc/1/fd/2');
      expect(descriptors).toMatch(/^\/dev\/null\npipe:\[\d+\]\n(pipe:\[\d+\]|\/dev\/null)$/);
      // The number of the controlling terminal, and the session that it is of.
      expect(await inside('cut -d" " -f6,7 /proc/1/stat')).toBe('1 0');
      for (const pid of processesOf(attacker.id)) {
        const [, , , leader, terminal] = read(pid, 'stat')
          .replace(/^.*\) /s, '')
          .split(' ');
        if (terminal !== '0') expect(processesOf(attacker.id), 'of the terminal').toContain(Number(leader));
      }
    });

    test('has its own names, message queues and shared memory', async () => {
      const made = spawnSync('ipcmk', ['-M', '64'], { encoding: 'utf8' });
      const segment = /\d+/.exec(made.stdout)?.[0] ?? '';
      onTestFinished(() => void spawnSync('ipcrm', ['-m', segment]));
      expect(readFileSync('/proc/sysvipc/shm', 'utf8')).toMatch(new RegExp(`\\s${segment}\\s`));
      expect((await inside('cat /proc/sysvipc/shm')).split('\n')).toHaveLength(1);
      expect(await inside('hostname; getent hosts sandbox')).toMatch(/^sandbox\n127\.0\.0\.1 +sandbox$/);
      expect(await inside('cat /proc/self/cgroup | cut -d: -f3 | sort -u')).toBe('/');
    });

    test('survives the death of everything in it, and takes nobody along', async () => {
      const server = serverOf(attacker.id);
      const first = firstOf(attacker.id);
      await act(attacker, 'kill -9 -1').catch(() => undefined);
      await until(() => act(attacker, 'true').catch(() => false), 'the server to come back');
      expect(serverOf(attacker.id)).not.toBe(server);
      expect(firstOf(attacker.id)).toBe(first);
      expect(bystander.exitCode ?? bystander.signalCode).toBeNull();
      expect(await act(victim, 'pgrep -c sleep')).toMatchObject({ content: '1' });
    });

    test('cannot have the gateway talk to another socket, or read another file, in place of its own', async () => {
      const run = mkdtempSync(join(tmpdir(), 'links-'));
      onTestFinished(() => rmSync(run, { recursive: true }));
      symlinkSync(join(victim.directories.run, 'server.sock'), join(run, 'server.sock'));
      symlinkSync(join(place.stateDir, 'key'), join(run, 'server.log'));
      expect(() => connectToSandbox(join(run, 'server.sock'))).toThrow('is not a socket');
      expect(logTail(run)).toBe('');
      const connection = connectToSandbox(join(victim.directories.run, 'server.sock'));
      await new Promise((resolve) => connection.once('connect', resolve));
      connection.destroy();
    });

    test('shares the network with the machine', async () => {
      const { createServer } = await import('node:net');
      const listener = createServer((socket) => socket.end('reached')).listen(0, '127.0.0.1');
      await new Promise((resolve) => listener.once('listening', resolve));
      onTestFinished(() => void listener.close());
      const { port } = listener.address() as { port: number };
      expect(await inside(`cat </dev/tcp/127.0.0.1/${port}`)).toBe('reached');
    });
  });
}

function fileOfTheCheckout(): string {
  return new URL('../../package.json', import.meta.url).pathname;
}
