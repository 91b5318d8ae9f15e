import { join } from 'node:path';
import { beforeAll, describe } from 'vitest';
import { describeCorpus, type ShellsUnderTest } from '../../packages/executor/test/shell/support/corpus.ts';
import type { Caller } from '../gateway/support/caller.ts';
import { sessionShells } from './support/session-shells.ts';
import { useWindows, windowNeeds } from './support/windows.ts';

describe('the contract of shells, in a window', windowNeeds, () => {
  const windows = useWindows({ settings: { 'fairlead.consent.run': 'allow' } });
  let patient: ShellsUnderTest;
  let impatient: ShellsUnderTest;

  beforeAll(async () => {
    const { owner } = await windows.place.start();
    const window = await windows.open({ until: 'suite' });
    await window.connect(owner);
    patient = await openShells(owner, window.path, '60');
    impatient = await openShells(owner, window.path, '1');
  }, windowNeeds.timeout);

  async function openShells(
    owner: Caller,
    workspace: string,
    noChangeSeconds: string,
  ): Promise<ShellsUnderTest> {
    const { id } = await owner.create({
      driver: 'window',
      labels: { agent: `Waits ${noChangeSeconds} s` },
      env: { NO_CHANGE_TIMEOUT_SECONDS: noChangeSeconds },
    });
    const { content: home } = await owner.run(id, 'echo ~');
    const storage = join(windows.userDataDir, 'User', 'globalStorage', 'fairlead.fairlead');
    return sessionShells(owner, { id, workspace, home, sessionDir: join(storage, 'sessions', id) });
  }

  describeCorpus(
    () => patient,
    () => impatient,
  );
});
