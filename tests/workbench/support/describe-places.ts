import { describe } from 'vitest';
import { testApps } from './app-tests.ts';
import { testDoor } from './door-tests.ts';
import { testDevelopmentServer } from './development-server-test.ts';
import { testEditor, testTwoEditors } from './editor-tests.ts';
import type { FrontKind } from './front.ts';
import { stageTags, stageTimeoutMs, useStage } from './stage.ts';

/** The same in whichever way browsers come. */
export function describePlaces(name: string, kind: FrontKind): void {
  const tags = [...stageTags, 'bwrap', 'tmux', 'ps', ...kind.tags];
  describe(`${name}:`, { tags, timeout: stageTimeoutMs }, () => {
    const stage = useStage(kind, tags);
    testEditor(stage);
    testTwoEditors(stage);
    testDoor(stage);
    testApps(stage);
    testDevelopmentServer(stage);
  });
}
