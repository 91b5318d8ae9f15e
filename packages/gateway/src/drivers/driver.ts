import type { DriverName, SessionLimits } from '@fairlead/protocol';

/**
 * Makes, finds and ends one kind of sandbox. A sandbox is known by its session's id; every sandbox serves the sandbox
 * API on a Unix socket in its run directory, and outlives the gateway.
 */
export interface Driver {
  readonly name: DriverName;
  /** Whether it can work on this machine, and what to do if not. */
  diagnose(): Promise<Diagnosis>;
  /**
   * Gets what a start may have to wait for long, such as an image from elsewhere, until it is cancelled. A start that
   * comes without it gets it itself.
   */
  obtain?(spec: SandboxSpec, onProgress: (text: string) => void, cancelled: AbortSignal): Promise<void>;
  /**
   * Starts the sandbox, or starts it again on the same directories; resolves when its socket answers. Rejects with a
   * `DriverError`, and leaves no process behind.
   */
  start(spec: SandboxSpec, onProgress: (text: string) => void): Promise<void>;
  status(id: string): Promise<SandboxStatus>;
  /** Stops all its processes where they are; they keep their memory. */
  pause(id: string): Promise<void>;
  resume(id: string): Promise<void>;
  /** Ends every process of it. Nothing to end is as good. Its directories stay. */
  stop(id: string): Promise<void>;
  /** Ids of all sandboxes of this gateway that exist, whether anybody owns them or not. */
  list(): Promise<string[]>;
  close(): Promise<void>;
}

export type SandboxStatus = 'running' | 'paused' | 'gone';

export type Diagnosis = { ok: true; detail: string } | { ok: false; detail: string; remedy: string };

export interface SandboxSpec {
  id: string;
  directories: SandboxDirectories;
  image: string | null;
  /** For the session's shells. */
  env: Record<string, string>;
  limits: SessionLimits;
}

/** On the gateway's machine. Inside they are at the places of `inside`. */
export interface SandboxDirectories {
  workspace: string;
  home: string;
  /** The socket, the sandbox server's own journal and its log. */
  run: string;
}

/** What went wrong, and what the user can do about it, in one line. */
export class DriverError extends Error {
  override name = 'DriverError';
}
