/** For a process that serves a session itself, on connections that it has from elsewhere. */
export { type ConnectedServer, type ConnectedServerOptions, serveConnections } from './connected-server.ts';
export { diskFiles } from './disk-files.ts';
export type { SandboxFiles } from './files.ts';
export { workRoutes } from './routes/work-routes.ts';
export { lockSession } from './start/session-lock.ts';
export { startTime } from './start/start-time.ts';
