import type { DriverName, SessionLimits } from '@fairlead/protocol';
import type { SandboxBundle, SandboxEditor } from './drivers/inside.ts';

export interface GatewayOptions {
  stateDir: string;
  host: string;
  /** 0 for any free one. */
  port: number;
  /** Where clients reach the gateway when that is not where it listens: a proxy's address. */
  publicUrl?: string;
  /** A path that everything stands below, `/fairlead`; the path of the public URL where it has one. */
  basePath?: string;
  /** Places get hosts of their own: `{session}-vscode.DOMAIN`. Without it they are paths of the gateway's host. */
  domain?: string;
  allowedHosts: string[];
  bundle: SandboxBundle;
  /** It may be installed, and removed, while the gateway and its sandboxes run. */
  editor?: SandboxEditor;
  /** How many app ports a session has, from 0 to 9. */
  appPortsPerSession: number;
  defaultDriver: DriverName;
  isolation: 'bubblewrap' | 'none';
  dockerSocket?: string;
  defaultImage: string;
  /** For what a session does not limit itself, and what an OpenHands `resource_factor` of 1 stands for. */
  defaultLimits: SessionLimits;
  /** How many sandboxes are kept ready. */
  warmSize: number;
  idleTimeoutSeconds: number;
  /** Null for sessions that may live for ever. */
  maxAgeSeconds: number | null;
  /** Ended sessions, and records of the journal, are kept this long. */
  retentionSeconds: number;
  maxSessionsPerOwner: number;
  /** Sessions in a VS Code window whose connection is lost wait this long for it. */
  windowGraceSeconds: number;
  /** Folders below which every owner may mount; an operator may mount any. */
  allowedFolders: string[];
  /** Name of the owner that is made on the first start. */
  operatorName: string;
  log(line: string): void;
}

export interface Gateway {
  readonly url: string;
  readonly port: number;
  readonly keyFile: string;
  /** The key file was made by this start. */
  readonly isFirstStart: boolean;
  /** Stops in good order and leaves the sandboxes of sessions running; answers how many. */
  close(): Promise<{ sessionsLeft: number }>;
}
