import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  hasOwnEditor,
  installTestEditor,
  removeTestEditor,
  testEditor,
  testEditorVersion,
} from '../drivers/support/test-editor.ts';
import { codeServerTags, useCodeServer } from '../support/code-server.ts';
import { dockerTags, useDockerEngine } from '../support/docker.ts';
import { dockerImages } from '../support/docker-images.ts';
import type { Caller } from './support/caller.ts';
import { needs } from './support/needs.ts';
import { type Place, usePlace } from './support/place.ts';
import { until } from './support/wait.ts';

const local = { ...needs, tags: [...needs.tags, ...codeServerTags] };

describe.for(['bubblewrap', 'none'] as const)(
  'the editor of a session, isolation: %s',
  local,
  (isolation) => {
    const codeServer = useCodeServer();
    const place = usePlace();

    test('is started by the first visit', async () => {
      const { owner } = await place.start({ isolation, editor: codeServer.editor });
      await expectWorkbench(owner, (await owner.create()).id);
    });
  },
);

const docker = { tags: [...dockerTags, ...codeServerTags], timeout: 60_000 };

describe.for([dockerImages.debian, dockerImages.bare])('the editor of a container of %s', docker, (image) => {
  const engine = useDockerEngine();
  const codeServer = useCodeServer();
  const place = usePlace();

  test('is started by the first visit', async () => {
    const { owner } = await place.start({ dockerSocket: engine.socket, editor: codeServer.editor });
    await expectWorkbench(owner, (await owner.create({ driver: 'docker', image })).id);
  });
});

describe.for(['bubblewrap', 'none'] as const)(
  'an editor that is installed while the gateway runs, isolation: %s',
  needs,
  (isolation) => {
    const place = usePlace();

    test.skipIf(hasOwnEditor)('is there for all sessions, as long as it is installed', async () => {
      const { owner } = await place.start({ isolation, warmSize: 1, editor: testEditor(place.stateDir) });
      await expectComingAndGoing(place, owner);
    });
  },
);

describe('an editor that is installed while containers run', { tags: dockerTags, timeout: 60_000 }, () => {
  const engine = useDockerEngine();
  const place = usePlace();

  test('is there for all sessions, as long as it is installed', async () => {
    const { owner } = await place.start({
      defaultDriver: 'docker',
      defaultImage: dockerImages.debian,
      dockerSocket: engine.socket,
      warmSize: 1,
      editor: testEditor(place.stateDir),
    });
    await expectComingAndGoing(place, owner);
  });
});

/** For a session that runs, and one in a sandbox that was started before there was an editor. */
async function expectComingAndGoing(place: Place, owner: Caller): Promise<void> {
  const { id: running } = await owner.create();
  const waiting = await until(
    () =>
      readdirSync(join(place.stateDir, 'sessions')).find(
        (id) => id !== running && existsSync(place.socketOf(id)),
      ),
    'a warm sandbox',
  );
  await expectMissing(owner, running);
  await installTestEditor({ stateDir: place.stateDir, giveAway: () => undefined });
  // The gateway knows of one a moment after it has begun to answer.
  await until(async () => (await owner.create()).id === waiting, 'a session in the warm sandbox');
  for (const id of [running, waiting]) {
    const up = await until(async () => {
      const answer = await visit(owner, id);
      return answer.status === 503 ? undefined : answer;
    }, 'the editor');
    expect(up).toMatchObject({ status: 200, text: testEditorVersion });
  }
  removeTestEditor(place);
  for (const id of [running, waiting]) await expectMissing(owner, id);
}

async function expectMissing(owner: Caller, id: string): Promise<void> {
  const page = await visit(owner, id);
  expect([page.status, page.text]).toEqual([503, expect.stringContaining('No editor is installed')]);
  const isTold = async () => {
    const { status, text } = await owner.call('GET', `/vscode/${id}/version`);
    return status === 503 && /No editor is installed: .*fairlead editor install/.test(text);
  };
  // One that has run until now is ended first.
  await until(isTold, 'word for those who want no page');
}

/** As far as it goes without a browser. */
async function expectWorkbench(owner: Caller, id: string): Promise<void> {
  const first = await visit(owner, id);
  expect([first.status, first.text]).toEqual([503, expect.stringContaining('Starting the editor')]);
  const up = await until(
    async () => {
      const answer = await visit(owner, id);
      return answer.status === 503 ? undefined : answer;
    },
    'the editor',
    30_000,
  );
  const folder = /\?folder=.*$/.exec(up.headers.location ?? '')?.[0];
  const { text } = await visit(owner, id, folder);
  expect(text).toContain('vscode-workbench-web-configuration');
  // Where its Ports view leads to.
  expect(text).toContain(`/apps/${id}-p{{port}}/`);
  expect((await visit(owner, id, 'version')).text).toMatch(/^[0-9a-f]{40}$/);
}

function visit(owner: Caller, id: string, path = '') {
  return owner.call('GET', `/vscode/${id}/${path}`, undefined, { accept: 'text/html' });
}
