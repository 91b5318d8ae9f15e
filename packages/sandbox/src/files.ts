import type { Readable } from 'node:stream';

/**
 * The files that the server's routes list, store and send: those of the disk, or of a VS Code window. The signal comes when
 * the client has gone: whoever has to ask first need not any more.
 */
export interface SandboxFiles {
  /** Names in a directory, a relative path from the workspace; empty for what is no directory. */
  list(path: string, gone: AbortSignal): Promise<string[]>;
  /** Stores a file in a directory, which is made when missing. */
  store(stream: Readable, destination: string, fileName: string, gone: AbortSignal): Promise<void>;
  /** Unpacks a zip into a directory, which is made when missing. */
  unpack(stream: Readable, destination: string, gone: AbortSignal): Promise<void>;
  /** Fails before the first byte with all that can be known to fail. */
  zip(path: string, gone: AbortSignal): Promise<{ stream: Readable; fileName: string }>;
}
