import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { dockerTags, useDockerEngine } from '../support/docker.ts';
import { dockerImages } from '../support/docker-images.ts';
import type { Caller } from './support/caller.ts';
import { needs } from './support/needs.ts';
import { usePlace } from './support/place.ts';
import { until } from './support/wait.ts';

describe('app ports', needs, () => {
  const place = usePlace();
  let owner: Caller;
  let url: string;
  beforeAll(async () => {
    const { gateway, owner: caller } = await place.start({ warmSize: 1, appPortsPerSession: 2 });
    owner = caller;
    url = gateway.url;
  });

  test('are told to the shells of a session, with where a browser finds them', async () => {
    const { id, apps, editorUrl } = await owner.create({ env: { APP_PORT_1: '1', APP_PORT_9: '9' } });
    expect(apps).toMatchObject([
      { number: 1, url: `${url}/apps/${id}-1/` },
      { number: 2, url: `${url}/apps/${id}-2/` },
    ]);
    expect(editorUrl).toBe(`${url}/vscode/${id}/`);
    const { content } = await owner.run(id, 'env | grep -E "^(APP_|VSCODE_PROXY)" | sort');
    expect(content.split('\n')).toEqual([
      `APP_PORT_1=${apps[0]!.port}`,
      `APP_PORT_2=${apps[1]!.port}`,
      'APP_PORT_9=9',
      `APP_URL_1=${apps[0]!.url}`,
      `APP_URL_2=${apps[1]!.url}`,
      `VSCODE_PROXY_URI=${url}/apps/${id}-p{{port}}/`,
    ]);
  });

  test('are also known to a sandbox that was started in advance, and to one that was stopped', async () => {
    const { id, apps } = await until(async () => {
      const ready = readdirSync(join(place.stateDir, 'sessions'));
      const created = await owner.create();
      return ready.includes(created.id) ? created : undefined;
    }, 'a session in a sandbox that was started in advance');
    const told = async () => (await owner.run(id, 'echo $APP_PORT_1 $APP_PORT_2')).content;
    expect(await told()).toBe(apps.map(({ port }) => port).join(' '));
    await owner.change(id, 'stop');
    expect((await owner.change(id, 'resume')).apps).toEqual(apps);
    expect(await told()).toBe(apps.map(({ port }) => port).join(' '));
  });

  test('are different for each session', async () => {
    const sessions = await Promise.all([owner.create(), owner.create(), owner.create()]);
    const ports = sessions.flatMap(({ apps }) => apps.map(({ port }) => port));
    expect(new Set(ports).size).toBe(6);
  });
});

describe('app ports of containers', { tags: dockerTags, timeout: 60_000 }, () => {
  const engine = useDockerEngine();
  const place = usePlace();

  test('are told to the shells', async () => {
    const { owner } = await place.start({ dockerSocket: engine.socket, appPortsPerSession: 1 });
    const { id, apps } = await owner.create({ driver: 'docker', image: dockerImages.debian });
    const { content } = await owner.run(id, 'echo $APP_PORT_1 $APP_URL_1 ${APP_PORT_2-none}');
    expect(content).toBe(`${apps[0]!.port} ${apps[0]!.url} none`);
  });
});
