import { join } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { describeCorpus, type ShellsUnderTest } from './support/corpus.ts';
import { terminalKinds, TestSession } from './support/test-shell.ts';

describe.each(terminalKinds)('%s', (terminal) => {
  describe('corpus', { tags: terminal === 'tmux' ? ['tmux'] : [], timeout: 60_000 }, () => {
    let session: TestSession;
    let impatient: TestSession;

    beforeAll(async () => {
      session = await TestSession.open({ terminal });
      impatient = await TestSession.open({ terminal, noChangeTimeoutSeconds: 1 });
    });
    afterAll(async () => {
      await session.close();
      await impatient.close();
    });

    describeCorpus(
      () => shellsOf(session),
      () => shellsOf(impatient),
    );
  });
});

function shellsOf(session: TestSession): ShellsUnderTest {
  return {
    workspace: session.workspace,
    home: session.home,
    run: (command, options) => session.run(command, options),
    end: (shell) => session.executor.shells.end(shell),
    filesOf: (shell) => join(session.sessionDir, 'shells', shell),
  };
}
