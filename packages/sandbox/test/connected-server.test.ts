import { request as httpRequest } from 'node:http';
import { duplexPair, type Duplex } from 'node:stream';
import type { Executor } from '@fairlead/executor';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { type ConnectedServer, diskFiles, serveConnections, workRoutes } from '../src/library.ts';
import { ScriptedExecutor } from './support/scripted-executor.ts';
import { type Json, run, temporaryDirectory } from './support/test-server.ts';

const key = { 'idempotency-key': 'k-1' };

test('answers actions on a connection that it is handed', async () => {
  const { server, executor } = await serveTest();
  const connection = connectTo(server);
  expect(await act(connection, run('one'))).toMatchObject({ status: 200, json: { content: 'one' } });
  expect(executor.executed).toEqual(['one']);
});

test('a retry on another connection gets the first answer', async () => {
  const { server, executor } = await serveTest();
  const lost = connectTo(server);
  const unanswered = act(lost, run('hold'), key);
  await eventually(() => executor.executed).toEqual(['hold']);
  lost.destroy(new Error('the connection is lost'));
  await expect(unanswered).rejects.toThrow();
  const retry = act(connectTo(server), run('hold'), key);
  executor.release();
  expect((await retry).json.content).toBe('released');
  expect(executor.executed).toEqual(['hold']);
});

test('tells events on a WebSocket', async () => {
  const { server } = await serveTest();
  const socket = new WebSocket('ws://session/events?after=0', {
    createConnection: () => connectTo(server) as never,
  });
  const types: string[] = [];
  socket.on('message', (data: Buffer) => types.push((JSON.parse(String(data)) as { type: string }).type));
  await act(connectTo(server), run('one'));
  await eventually(() => types).toEqual(['action', 'observation']);
  socket.terminate();
});

test('has the routes that it was given, and no others', async () => {
  const { server } = await serveTest();
  const statuses = ['/alive', '/shells', '/ports', '/editor', '/vscode/connection_token'].map(
    async (path) => (await call(connectTo(server), 'GET', path)).status,
  );
  expect(await Promise.all(statuses)).toEqual([200, 200, 404, 404, 404]);
});

test('closing cancels what runs, answers it, and ends the session and the connections', async () => {
  const { server, executor } = await serveTest();
  const connection = connectTo(server);
  const answer = act(connection, run('hold'));
  await eventually(() => executor.executed).toEqual(['hold']);
  await server.close(1000);
  expect((await answer).status).toBe(200);
  expect(executor.isClosed).toBe(true);
  await eventually(() => connection.destroyed).toBe(true);
  await expect(act(connectTo(server), run('late'))).rejects.toThrow();
  expect(executor.executed).toEqual(['hold']);
});

test('another server on the same directory knows what became of an action', async () => {
  const sessionDir = await temporaryDirectory();
  const first = await serveTest({ sessionDir });
  await act(connectTo(first.server), run('one'), key);
  await first.server.close(0);
  const second = await serveTest({ sessionDir });
  const again = await act(connectTo(second.server), run('one'), key);
  expect(again.json.content).toBe('one');
  expect(second.executor.executed).toEqual([]);
});

interface Served {
  server: ConnectedServer;
  executor: ScriptedExecutor;
}

async function serveTest(given: { sessionDir?: string } = {}): Promise<Served> {
  const executor = new ScriptedExecutor();
  const workspace = await temporaryDirectory();
  const server = serveConnections({
    executor: executor satisfies Executor,
    workspace,
    sessionDir: given.sessionDir ?? (await temporaryDirectory()),
    files: diskFiles(workspace, undefined),
    routes: workRoutes,
    log: () => undefined,
  });
  onTestFinished(() => server.close(0));
  return { server, executor };
}

function connectTo(server: ConnectedServer): Duplex {
  const [mine, its] = duplexPair();
  // A pair does not tell the other side that this one is gone.
  mine.once('close', () => its.destroy());
  its.once('close', () => mine.destroy());
  mine.on('error', () => undefined);
  server.accept(its);
  return mine;
}

function act(
  connection: Duplex,
  event: Record<string, unknown>,
  headers: Record<string, string> = {},
): Promise<{ status: number; json: Json }> {
  return call(connection, 'POST', '/execute_action', JSON.stringify({ action: event }), headers);
}

function call(
  connection: Duplex,
  method: string,
  path: string,
  body?: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; json: Json }> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      { method, path, headers: { host: 'session', ...headers }, createConnection: () => connection },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const json: unknown = JSON.parse(Buffer.concat(chunks).toString());
          resolve({ status: response.statusCode ?? 0, json });
        });
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}

function eventually<Value>(ask: () => Value) {
  return expect.poll(ask, { timeout: 15_000 });
}
