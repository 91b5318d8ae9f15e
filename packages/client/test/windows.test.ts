import type { WindowInstance } from '@fairlead/protocol';
import { describe, expect, it } from 'vitest';
import { json } from './support/test-gateway.ts';
import { useGateway } from './support/use-gateway.ts';

const route = 'GET /api/vscode/instances';

describe('windows', () => {
  const held = useGateway();

  it('are listed', async () => {
    const { gateway, client } = held;
    gateway.routes.set(route, (_request, response) => json(response, [windowOf('a')]));
    expect(await client.windows.list()).toEqual([windowOf('a')]);
  });

  it('are told whole at each change, also behind a connection that broke', async () => {
    const { gateway, client } = held;
    const streams = [
      [
        { type: 'instances', instances: [windowOf('a')] },
        { type: 'changed', instance: windowOf('b') },
        { type: 'changed', instance: windowOf('a', 'renamed') },
        { type: 'gone', connection_id: 'b' },
      ],
      [{ type: 'instances', instances: [] }],
    ];
    gateway.routes.set(route, ({ headers }, response) => {
      expect(headers.accept).toBe('text/event-stream');
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const event of streams.shift()!) response.write(`data: ${JSON.stringify(event)}\n\n`);
    });
    const watched = client.windows.watch()[Symbol.asyncIterator]();
    const next = async () => (await watched.next()).value as WindowInstance[];
    expect(await next()).toEqual([windowOf('a')]);
    expect(await next()).toEqual([windowOf('a'), windowOf('b')]);
    expect(await next()).toEqual([windowOf('a', 'renamed'), windowOf('b')]);
    expect(await next()).toEqual([windowOf('a', 'renamed')]);
    gateway.cut();
    expect(await next()).toEqual([]);
    await watched.return(undefined);
  });

  it('are paired and forgotten', async () => {
    const { gateway, client } = held;
    const pairing = { code: 'c', link: 'vscode://x', url: 'http://g', expiresAt: '2026-01-01T00:00:00.000Z' };
    gateway.routes.set('POST /api/vscode/pairings', (_request, response) => json(response, pairing));
    expect(await client.windows.pair()).toEqual(pairing);
    gateway.routes.set('DELETE /api/vscode/instance/a', (_request, response) => {
      response.writeHead(204).end();
    });
    await client.windows.forget('a');
    await expect(client.windows.forget('b')).rejects.toMatchObject({ code: 'not-found' });
  });
});

function windowOf(id: string, name = id): WindowInstance {
  return {
    connection_id: id,
    workspace_name: name,
    workspace_path: `/${id}`,
    vscode_version: '1.93.0',
    extension_version: '0.1.0',
    capabilities: [],
    status: 'active',
    registered_at: '2026-01-01T00:00:00.000Z',
    last_heartbeat: '2026-01-01T00:00:00.000Z',
    takes_sessions: true,
    folders: [],
    app_name: 'test',
    remote_name: null,
    is_trusted: true,
    sessions: [],
  };
}
