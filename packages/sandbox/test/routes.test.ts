import { expect, test } from 'vitest';
import { run, startTestServer } from './support/test-server.ts';

test('/alive', async () => {
  const { get } = await startTestServer();
  expect(await get('/alive')).toMatchObject({ status: 200, json: { status: 'ok' } });
});

test('/server_info has every figure as a number', async () => {
  const { get, act } = await startTestServer();
  await act(run('x'));
  const { json } = await get('/server_info');
  const { cpu_percent, memory, disk, io } = json.resources;
  const figures = [json.uptime, json.idle_time, cpu_percent, ...[memory, disk, io].flatMap(Object.values)];
  expect(figures).toHaveLength(12);
  expect(figures.every((figure) => Number.isFinite(figure) && figure >= 0)).toBe(true);
  expect(json.idle_time).toBeLessThan(json.uptime);
  expect(memory.rss).toBeGreaterThan(1e6);
  expect(disk.total).toBeGreaterThan(disk.used);
});

test('/update_mcp_server takes a list and says that no server was started', async () => {
  const { post } = await startTestServer();
  const detail = 'MCP server updated successfully';
  expect((await post('/update_mcp_server', [])).json).toEqual({ detail, router_error_log: '' });
  const some = await post('/update_mcp_server', [{ name: 'a', command: 'b', args: [], env: {} }]);
  expect(some).toMatchObject({
    status: 200,
    json: { detail, router_error_log: expect.stringContaining('not supported yet') },
  });
  expect(await post('/update_mcp_server', { name: 'a' })).toMatchObject({
    status: 400,
    json: { detail: 'Request must be a list of MCP tools to sync' },
  });
  expect((await post('/update_mcp_server', 'nonsense')).status).toBe(422);
});

test('/vscode/connection_token is null', async () => {
  const { get } = await startTestServer();
  expect((await get('/vscode/connection_token')).json).toEqual({ token: null });
});

test('/shells are listed and ended, and their viewers are told', async () => {
  const { get, server, executor, watch } = await startTestServer();
  expect((await get('/shells')).json).toEqual({ shells: [] });
  await executor.shells.open('build');
  const viewer = watch('/shells/build/terminal');
  await viewer.until(({ messages }) => messages.length > 0);
  expect((await get('/shells')).json).toEqual({
    shells: [{ name: 'build', pid: 1, cwd: '/', cols: 80, rows: 24 }],
  });
  const end = () => fetch(`${server.url}/shells/build`, { method: 'DELETE' });
  expect((await end()).status).toBe(200);
  expect(await viewer.closed).toEqual({ code: 1000, reason: 'the shell "build" was ended' });
  const again = await end();
  expect([again.status, await again.json()]).toEqual([404, { detail: expect.stringContaining('"build"') }]);
});

test('/openapi.json describes exactly the routes that are served', async () => {
  const { get, server } = await startTestServer();
  const { json } = await get('/openapi.json');
  expect(json.openapi).toBe('3.1.0');
  const { routeTable } = await import('../src/routes/table.ts');
  const described = Object.entries(json.paths).flatMap(([path, methods]) => {
    return Object.keys(methods as object).map((method) => `${method.toUpperCase()} ${path}`);
  });
  expect(described.sort()).toEqual(routeTable.map(({ method, path }) => `${method} ${path}`).sort());
  const action = json.paths['/execute_action'].post;
  expect(action.parameters.map(({ name }: { name: string }) => name)).toEqual([
    'idempotency-key',
    'x-action-id',
    'x-resume-only',
  ]);
  expect(action.responses[200].content['application/json'].schema.oneOf).toHaveLength(6);
  expect(action.security).toEqual([{ sessionKey: [] }]);
  expect(json.paths['/alive'].get.security).toEqual([]);
  const upload = json.paths['/upload_file'].post.parameters;
  expect(upload).toMatchObject([
    { name: 'destination', in: 'query', required: false, schema: { default: '/' } },
    { name: 'recursive', required: false },
  ]);
  expect(json.paths['/download_files'].get.parameters[0]).toMatchObject({ name: 'path', required: true });
  expect(server.port).toBeGreaterThan(0);
});
