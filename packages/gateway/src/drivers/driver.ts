import type { DriverName, SessionLimits } from '@fairlead/protocol';

/**
 * Makes, finds and ends one kind of runtime. A runtime is known by its session's id; every one serves the sandbox
 * API on a Unix socket in its run directory, and outlives the gateway.
 */
export interface Driver {
  readonly name: DriverName;
  /** Whether it can work on this machine, and what to do if not. */
  diagnose(): Promise<Diagnosis>;
  /** Rejects with a `DriverError` where it is plain that a start cannot succeed now. */
  check?(spec: SandboxSpec): Promise<void>;
  /** Takes up what an earlier gateway started, where that cannot be found by itself. */
  adopt?(spec: SandboxSpec): Promise<void>;
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
  /**
   * Where connections to a runtime are lost while it lives on: another number when it may have forgotten what it was handed.
   * As long as it is the same, an action that may not have arrived can be handed over again under its key.
   */
  generation?(id: string): number;
  /** Stops all its processes where they are; they keep their memory. */
  pause(id: string): Promise<void>;
  resume(id: string): Promise<void>;
  /** Ends every process of it. Nothing to end is as good. Its directories stay. The reason is for a user to read. */
  stop(id: string, reason?: string): Promise<void>;
  /** Ids of all sandboxes of this gateway that exist, whether anybody owns them or not. */
  list(): Promise<string[]>;
  close(): Promise<void>;
}

/** `away`: it cannot be reached, and comes back or ends by itself. */
export type SandboxStatus = 'running' | 'paused' | 'away' | 'gone';

export type Diagnosis = { ok: true; detail: string } | { ok: false; detail: string; remedy: string };

export interface SandboxSpec {
  id: string;
  directories: SandboxDirectories;
  image: string | null;
  /** For the session's shells. */
  env: Record<string, string>;
  limits: SessionLimits;
  /** Of a session in a VS Code window. */
  window?: WindowPlace;
}

export interface WindowPlace {
  ownerId: string;
  windowId: string;
  /** Where it begins; null for the window's first folder. */
  folder: string | null;
  /** How the user knows the agent. */
  agent: string;
  /** The owner's name. */
  owner: string;
  createdAt: string;
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
