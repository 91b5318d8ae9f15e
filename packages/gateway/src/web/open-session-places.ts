import { existsSync } from 'node:fs';
import type { Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { type EditorState, editorState, type SessionPort } from '@fairlead/protocol';
import { GatewayError } from '../gateway-error.ts';
import { runFiles } from '../drivers/inside.ts';
import { connectToSandbox } from '../drivers/sandbox-socket.ts';
import type { Page } from '../proxy/pages/page.ts';
import { appWaitingPage, editorMissingPage } from '../proxy/pages/waiting-pages.ts';
import { type Place, placePrefix } from '../proxy/places.ts';
import { connected, type ProxyTarget } from '../proxy/target.ts';
import type { SessionsApi } from '../sessions/sessions-api.ts';
import { askSandbox } from './ask-sandbox.ts';
import { connectApp } from './connect-app.ts';
import { type OpenPort, PortListings } from './port-listings.ts';
import { noSuchApp, type SessionPlaces } from './session-places.ts';

export interface PlacesOptions {
  sessions: SessionsApi;
  /** What the gateway itself listens on: a local session has the same network, and must not lead there. */
  isOwnPort(port: number): boolean;
}

export function openSessionPlaces({ sessions, isOwnPort }: PlacesOptions): SessionPlaces {
  const listings = new PortListings(sessions);
  return { target, visitEditor, showEditor, ports };

  async function target(place: Place): Promise<ProxyTarget> {
    const { sessionId } = place;
    const { driver, appPorts, windowId } = await sessions.get(sessionId);
    if (windowId !== null) throw inWindow();
    const { socketPath } = await sessions.connection(sessionId);
    // A server may be a different one by the next path: what is learned of it goes by the place.
    const common = {
      sessionId,
      key: placePrefix(place, ''),
      touch: () => sessions.touch(sessionId),
      checkSession: async () => void (await sessions.connection(sessionId)),
    };
    if (place.kind === 'editor') {
      const absentPage = await editorAbsentPage(sessionId, socketPath);
      return { ...common, absentPage, connect: () => connectEditor(sessionId) };
    }
    const { port, variable } = place.kind === 'app' ? { port: place.port } : numbered(appPorts, place.number);
    const isOnThisMachine = driver === 'local';
    return {
      ...common,
      absentPage: appWaitingPage({ port, ...(variable !== undefined && { variable }) }),
      connect: async () => {
        // Asked anew, because a session that was stopped and goes on has another connection.
        const { socketPath } = await sessions.connection(sessionId);
        const isHidden = isOnThisMachine && isOwnPort(port);
        const sockets = isHidden ? [] : await listings.find(sessionId, port);
        return connectApp({ port, sockets, socketPath, isOnThisMachine });
      },
    };
  }

  async function connectEditor(sessionId: string): Promise<Socket> {
    const { socketPath } = await sessions.connection(sessionId);
    return connected(connectToSandbox(editorSocket(socketPath)));
  }

  /** An editor that runs has its socket, and its many small requests do not wait for the sandbox's word. */
  async function editorAbsentPage(sessionId: string, socketPath: string): Promise<Page> {
    const isMissing =
      !existsSync(editorSocket(socketPath)) && (await showEditor(sessionId)).state === 'missing';
    return isMissing ? editorMissingPage('fairlead editor install') : editorStoppedPage;
  }

  async function visitEditor(sessionId: string): Promise<EditorState> {
    if (await isInWindow(sessionId)) throw inWindow();
    const connection = await sessions.connection(sessionId);
    sessions.touch(sessionId);
    return askSandbox(connection, 'POST', '/editor', editorState);
  }

  async function showEditor(sessionId: string): Promise<EditorState> {
    if (await isInWindow(sessionId)) return noEditor;
    return askSandbox(await sessions.connection(sessionId), 'GET', '/editor', editorState);
  }

  async function isInWindow(sessionId: string): Promise<boolean> {
    return (await sessions.get(sessionId)).windowId !== null;
  }

  async function ports(sessionId: string): Promise<SessionPort[]> {
    const { appPorts, state, windowId } = await sessions.get(sessionId);
    if (windowId !== null) return [];
    // What does not run does not answer, also where it holds its ports.
    const open = state === 'running' ? await listings.list(sessionId) : [];
    return [
      ...appPorts.map((port, index) => portView(port, index + 1, open)),
      ...otherPorts(open, appPorts).map((port) => portView(port, null, open)),
    ];
  }
}

/** Between its end and the next visit, which starts it again. */
const editorStoppedPage: Page = {
  status: 503,
  title: 'The editor is not running',
  lines: ['It is started again in a moment'],
  retryAfterSeconds: 2,
};

const inWindowDetail =
  "The session runs in the user's own VS Code window: it has no web editor and no app ports; look in that window";

const noEditor: EditorState = {
  state: 'missing',
  product: null,
  version: null,
  detail: inWindowDetail,
  folder: '',
  token: null,
};

function inWindow(): GatewayError {
  return new GatewayError('not-allowed', inWindowDetail);
}

function editorSocket(socketPath: string): string {
  return join(dirname(socketPath), runFiles.editorSocket);
}

function numbered(appPorts: number[], number: number): { port: number; variable?: string } {
  const port = appPorts[number - 1];
  if (port !== undefined) return { port, variable: `APP_PORT_${number}` };
  throw noSuchApp(number, appPorts);
}

function otherPorts(open: OpenPort[], appPorts: number[]): number[] {
  const others = new Set(open.map(({ port }) => port).filter((port) => !appPorts.includes(port)));
  return [...others].toSorted((one, other) => one - other);
}

/** A server that listens for both kinds of addresses is one all the same. */
function portView(port: number, number: number | null, open: OpenPort[]): SessionPort {
  const socket = open.find((each) => each.port === port);
  return {
    port,
    number,
    isListening: socket !== undefined,
    address: socket?.address ?? null,
    command: socket?.command ?? null,
  };
}
