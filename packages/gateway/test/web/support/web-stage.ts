import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import type { EditorState } from '@fairlead/protocol';
import { onTestFinished } from 'vitest';
import { WebSocketServer } from 'ws';
import { startFakeSandbox } from '../../fronts/support/fake-sandbox.ts';
import {
  type Answer,
  type CallOptions,
  type Headers,
  startTestGateway,
  type Tenant,
  type TestGateway,
} from '../../fronts/support/test-gateway.ts';

export interface Stage {
  gateway: TestGateway;
  mine: Tenant;
  other: Tenant;
  /** What the sandbox says of its editor. */
  editor: EditorState;
  /** How often the sandbox was asked to have an editor. */
  editorVisits(): number;
  /** Requests that have come to a server of a session. */
  reached: IncomingMessage[];
  /** Answers to `/held`, which are never given. */
  held: ServerResponse[];
  appPort: number;
  /** Paths of `mine`. */
  app: string;
  vscode: string;
  get(path: string, headers?: Headers): Promise<Answer>;
  /** As a browser that somebody uses: what it goes to is a page. */
  go(path: string, headers?: Headers): Promise<Answer>;
  link(body: Record<string, unknown>, headers?: Headers): Promise<string>;
  send(method: string, path: string, options?: CallOptions): Promise<Answer>;
}

export const navigation: Headers = {
  accept: 'text/html',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-site': 'none',
};

/** A gateway whose sessions have an app and an editor, which both answer with what they were asked. */
export async function startStage(
  options: Parameters<typeof startTestGateway>[0] = {},
  basePath = '',
): Promise<Stage> {
  const reached: IncomingMessage[] = [];
  const held: ServerResponse[] = [];
  const appPort = await startEcho({ reached, held }, { port: 0, host: '127.0.0.1' });
  let visits = 0;
  const editor: EditorState = {
    state: 'running',
    product: 'code-server',
    version: 'abc',
    detail: 'code-server is running',
    folder: '/workspace',
    token: null,
  };
  const sandbox = await startFakeSandbox((request, response) => {
    if (request.url === '/editor') visits += 1;
    const ports = [{ port: appPort, address: '127.0.0.1', pid: 1, command: 'app' }];
    response.end(JSON.stringify(request.url === '/editor' ? editor : { ports }));
  });
  await startEcho({ reached, held }, { path: join(dirname(sandbox.socketPath), 'editor.sock') });
  const gateway = await startTestGateway(options);
  gateway.sessions.socketPath = sandbox.socketPath;
  const [mine, other] = [await gateway.addTenant('mine'), await gateway.addTenant('other')];
  for (const { session } of [mine, other]) session.appPorts = [appPort];
  const send: Stage['send'] = (method, path, given) => gateway.call(method, path, given);
  return {
    gateway,
    mine,
    other,
    editor,
    editorVisits: () => visits,
    reached,
    held,
    appPort,
    app: `${basePath}/apps/${mine.session.id}-1/`,
    vscode: `${basePath}/vscode/${mine.session.id}/`,
    send,
    get: (path, headers = {}) => send('GET', path, { headers }),
    go: (path, headers = {}) => send('GET', path, { headers: { ...navigation, ...headers } }),
    async link(body, headers = mine.headers) {
      const path = `${basePath}/api/sessions/${mine.session.id}/links`;
      const { status, json, text } = await send('POST', path, { headers, body });
      if (status !== 201) throw new Error(`no link: ${status} ${text}`);
      return json.url as string;
    },
  };
}

/** What is behind the host of an address. */
export function pathOf(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}

/** The cookie that an answer sets, as a browser sends it back. */
export function cookieOf({ headers }: Answer): string {
  return headers['set-cookie']?.[0]?.split(';', 1)[0] ?? '';
}

/** For how many seconds the browser keeps it. */
export function maxAgeOf({ headers }: Answer): number {
  return Number(/; Max-Age=(\d+)/.exec(headers['set-cookie']?.[0] ?? '')?.[1]);
}

async function startEcho(
  { reached, held }: Pick<Stage, 'reached' | 'held'>,
  listen: { port: number; host: string } | { path: string },
): Promise<number> {
  const http = createServer((request: IncomingMessage, response: ServerResponse) => {
    reached.push(request);
    request.resume();
    if (request.url === '/held') return void held.push(response);
    // Never ends by itself.
    if (request.url === '/stream') return void response.writeHead(200).write('begun');
    response.end(`reached ${request.method} ${request.url}`);
  });
  const sockets = new WebSocketServer({ server: http });
  sockets.on('connection', (socket, request) => {
    reached.push(request);
    socket.on('message', (data) => socket.send(data));
  });
  http.listen(listen);
  await once(http, 'listening');
  onTestFinished(() => close(http, sockets));
  return 'path' in listen ? 0 : (http.address() as AddressInfo).port;
}

async function close(http: Server, sockets: WebSocketServer): Promise<void> {
  for (const socket of sockets.clients) socket.terminate();
  http.closeAllConnections();
  await new Promise((resolve) => http.close(resolve));
}
