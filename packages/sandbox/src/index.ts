export { type SandboxServer, type ServerOptions, startServer } from './server.ts';
