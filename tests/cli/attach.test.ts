import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { TerminalUser } from './support/fairlead.ts';
import { useServedGateway } from './support/gateway.ts';

describe('fairlead attach', { tags: ['bwrap'], timeout: 60_000 }, () => {
  const held = useServedGateway();
  let session: string;
  beforeAll(async () => {
    session = await held.session();
  }, 60_000);

  it('is a person at the shell: what was shown, what is typed, and the size of the window', async () => {
    const { fairlead } = held;
    await fairlead.ask('run', session, '--state-dir', fairlead.stateDir, '--', 'echo before-you-came');
    const user = fairlead.terminal(['attach', session], { cols: 90, rows: 25 });
    await user.sees('Ctrl-] detaches');
    await user.sees('before-you-came');
    user.type('echo typed-$((40 + 2)); stty size\r');
    await user.sees('typed-42');
    await user.sees('25 90');
    user.resize(110, 33);
    await expect
      .poll(async () => {
        user.type('stty size; echo "size"-told\r');
        await user.sees('size-told');
        return user.take();
      })
      .toContain('33 110');
    user.type('\x1d');
    expect(await user.ended).toBe(0);
    expect(user.screen).toContain(`Detached from ${session}.`);
  });

  it('passes Ctrl-C and Ctrl-D on, and goes on when the shell ends', async () => {
    const user = held.fairlead.terminal(['attach', session, '--shell', 'keys']);
    await user.sees(/[$#] $/);
    user.type(`bash -c 'trap "exit 7" INT; echo ready-$((1 + 1)); while :; do sleep 0.05; done'\r`);
    await user.sees('ready-2');
    user.type('\x03');
    await user.sees(/\^C.*[$#] $/s);
    user.type('echo after=$?\r');
    await user.sees('after=7');
    await user.sees(/after=7\s.*[$#] $/s);
    user.take();
    user.type('\x04');
    await user.sees(/exit\s.*[$#] $/s);
    user.type('echo fresh-$((1 + 1))\r');
    await user.sees('fresh-2');
    user.type('\x1d');
    expect(await user.ended).toBe(0);
  });

  it('gives the terminal back as it was, whatever ends it', async () => {
    const { fairlead } = held;
    const stop = () => fairlead.ask('session', 'stop', session);
    const terminate = () =>
      void process.kill(Number(readFileSync(join(fairlead.home, 'pid'), 'utf8')), 'SIGTERM');
    const ends: { wrapper: string; end(user: TerminalUser): void | Promise<string> }[] = [
      { wrapper: '', end: (user) => user.type('\x1d') },
      { wrapper: `sh -c 'echo $$ >pid; exec "$@"' sh`, end: terminate },
      { wrapper: '', end: stop },
    ];
    for (const { wrapper, end } of ends) {
      const user = fairlead.shell();
      await user.sees('# ');
      user.type('stty -g > before; echo noted\r');
      await user.sees(/[\r\n]noted/);
      const command = `$FAIRLEAD attach ${session} --state-dir ${fairlead.stateDir} --shell full`;
      user.type(`${wrapper} ${command}; echo "left=$?"\r`);
      await user.sees('agent@sandbox');
      user.type(String.raw`printf '\033[?1049h\033[?25l'; echo in-full-screen` + '\r');
      await user.sees('\x1b[?25lin-full-screen');
      await end(user);
      await user.sees(/left=\d/);
      // Left the other screen, and has its cursor again.
      await user.sees('\x1b[?1049l');
      await user.sees('\x1b[?25h');
      user.type('stty -g > after; cmp before after && echo same-terminal\r');
      await user.sees(/[\r\n]same-terminal/);
      user.type('exit\r');
      expect(await user.ended).toBe(0);
    }
    await fairlead.ask('session', 'resume', session);
  });

  it('is refused where there is no terminal, no session, or none that runs', async () => {
    const { fairlead } = held;
    const piped = await fairlead.run('attach', session);
    expect(piped).toMatchObject({ code: 2, stderr: expect.stringContaining('needs a terminal') as string });
    const nobody = fairlead.terminal(['attach', 'nope']);
    expect(await nobody.ended).toBe(4);
    const stopped = await held.session();
    await fairlead.ask('session', 'stop', stopped);
    const user = fairlead.terminal(['attach', stopped]);
    expect(await user.ended).toBe(4);
    expect(user.screen).toContain('The session is stopped');
  });
});
