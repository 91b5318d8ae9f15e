/** Where things are inside a sandbox, whatever the driver. */
export const inside = {
  workspace: '/workspace',
  home: '/home/agent',
  run: '/run/fairlead',
  bundle: '/opt/fairlead',
  editor: '/opt/fairlead-editor',
  extension: '/opt/fairlead-extension',
} as const;

/** In the run directory. */
export const runFiles = { socket: 'server.sock', editorSocket: 'editor.sock', log: 'server.log' } as const;

/** The sandbox server in a form that runs in any Linux with bash: what to mount read-only, and what to start. */
export interface SandboxBundle {
  mounts: { source: string; target: string }[];
  /** The server without its arguments. */
  command: string[];
}

/** A web VS Code for sandboxes. */
export type SandboxEditor = EditorSource & {
  /** The folder of a VS Code extension that it comes with. */
  extension?: string;
};

type EditorSource =
  /**
   * One that runs in any Linux, and is used where the sandbox has none of its own. The directory is mounted read-only; the
   * program in it may be put there later.
   */
  | { kind: EditorKind; directory: string; program: string }
  /** A program of this machine that the operator has named: local sandboxes use it before any other. */
  | { kind: EditorKind; command: string[] };

type EditorKind = 'code-server' | 'openvscode-server' | 'serve-web';

/** How long a sandbox lives without a word from a gateway. */
export const leaseSeconds = 600;
/** How long its editor runs that nobody has open. */
export const editorIdleSeconds = 1800;
