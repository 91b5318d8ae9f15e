/** Where things are inside a sandbox, whatever the driver. */
export const inside = {
  workspace: '/workspace',
  home: '/home/agent',
  run: '/run/fairlead',
  bundle: '/opt/fairlead',
} as const;

/** In the run directory. */
export const runFiles = { socket: 'server.sock', log: 'server.log' } as const;

/** The sandbox server in a form that runs in any Linux with bash: what to mount read-only, and what to start. */
export interface SandboxBundle {
  mounts: { source: string; target: string }[];
  /** The server without its arguments. */
  command: string[];
}

/** How long a sandbox lives without a word from a gateway. */
export const leaseSeconds = 600;
