import { z } from 'zod';
import { sessionApp } from './places.ts';
import { sessionId } from './session-id.ts';
import { approvalNotice, changeNotice } from './window/notice.ts';

/** Sessions as the gateway's REST API speaks of them. */

export const sessionStates = ['starting', 'running', 'paused', 'stopped', 'failed'] as const;
export const sessionState = z.enum(sessionStates);
export type SessionState = z.infer<typeof sessionState>;

export const driverName = z.enum(['local', 'docker', 'window']);
export type DriverName = z.infer<typeof driverName>;

/** What a session may use; without a number there is no limit but the machine's. */
export const sessionLimits = z.strictObject({
  cpus: z.number().positive().max(1024).optional(),
  memoryMb: z.int().min(64).max(16_777_216).optional(),
  pids: z.int().min(16).max(4_194_304).optional(),
});
export type SessionLimits = z.infer<typeof sessionLimits>;

const seconds = z.number().positive().max(31_536_000);

/** Where a session's files are: a directory of its own, a folder of the gateway's machine, or a clone. */
export const workspaceSource = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('own') }),
  z.strictObject({ kind: z.literal('folder'), path: z.string().startsWith('/', 'use an absolute path') }),
  z.strictObject({
    kind: z.literal('git'),
    url: z
      .string()
      .regex(/^(https?:\/\/|ssh:\/\/|git:\/\/|[\w.-]+@[\w.-]+:)\S+$/, 'use an https, ssh or git address'),
    ref: z
      .string()
      .regex(/^[\w./-]{1,200}$/, 'use a branch, tag or commit')
      .refine((ref) => !ref.startsWith('-'), 'must not begin with "-"')
      .optional(),
  }),
]);
export type WorkspaceSource = z.infer<typeof workspaceSource>;

/** Which window of VS Code a session is to run in; without either it is the only one that is connected. */
export const windowChoice = z.strictObject({
  id: z.string().min(1).max(256).optional(),
  /**
   * The path of a folder that is open in it, or of one inside such a folder: the window with the longest matching one is
   * taken. What is no path is the name of a folder or of a workspace.
   */
  folder: z.string().min(1).max(4096).optional(),
});
export type WindowChoice = z.infer<typeof windowChoice>;

const labelText = z.string().max(256);
export const sessionLabels = z
  .record(z.string().regex(/^[\w./-]{1,64}$/, 'use 1 to 64 letters, digits, "_", ".", "/" or "-"'), labelText)
  .refine((labels) => Object.keys(labels).length <= 32, 'use at most 32 labels');

export const environmentVariables = z
  .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'not a name of a variable'), z.string())
  .refine((env) => !Object.values(env).some((value) => value.includes('\0')), 'must not contain NUL');

export const createSessionRequest = z.strictObject({
  driver: driverName.optional(),
  /** Only for a driver that has images. */
  image: z
    .string()
    .regex(/^[\w][\w.:/@-]{0,254}$/, 'use the name of an image')
    .optional(),
  /** Only for the driver `window`, which it stands for. */
  window: windowChoice.optional(),
  workspace: workspaceSource.default({ kind: 'own' }),
  /** What the session's shells find in their environment. */
  env: environmentVariables.default({}),
  labels: sessionLabels.default({}),
  limits: sessionLimits.default({}),
  /** Without any activity for this long the session is stopped. */
  idleTimeoutSeconds: seconds.optional(),
  /** The session is stopped this long after its creation, whatever happens. */
  maxAgeSeconds: seconds.optional(),
});
export type CreateSessionRequest = z.infer<typeof createSessionRequest>;
export type CreateSessionInput = z.input<typeof createSessionRequest>;

export const extendSessionRequest = z.strictObject({
  /** Seconds from now until the session may end of age at the earliest; without it only its idle time starts anew. */
  seconds: seconds.optional(),
});
export type ExtendSessionRequest = z.infer<typeof extendSessionRequest>;

export const session = z.object({
  id: sessionId,
  owner: z.string(),
  driver: driverName,
  image: z.string().nullable(),
  /** The window that it runs in; null for one in a sandbox, and from gateways that know no windows. */
  windowId: z.string().nullable().default(null),
  state: sessionState,
  /** Why it is in this state, where that is not plain. */
  reason: z.string().nullable(),
  workspace: workspaceSource,
  labels: z.record(z.string(), z.string()),
  limits: sessionLimits,
  createdAt: z.iso.datetime(),
  lastActiveAt: z.iso.datetime(),
  idleTimeoutSeconds: z.number(),
  /** When it ends of age; null when it does not. */
  expiresAt: z.iso.datetime().nullable(),
  /** Base address of its OpenHands V0 routes. */
  url: z.string(),
  /** Of its web VS Code. */
  editorUrl: z.string(),
  /** Of its app ports, by number. */
  apps: z.array(sessionApp),
});
export type Session = z.infer<typeof session>;

/** The answer to creation, the only one that shows the session's key. */
export const createdSession = session.extend({ key: z.string() });
export type CreatedSession = z.infer<typeof createdSession>;

/**
 * The event stream of a session as the gateway tells it. What has a `seq` is in the journal and can be had again with
 * `after`; output is live only, and stands between its action and its observation.
 */
const journalled = { seq: z.int().positive(), time: z.iso.datetime() };
export const sessionEvent = z.discriminatedUnion('type', [
  z.object({
    ...journalled,
    type: z.literal('action'),
    actionId: z.string(),
    shell: z.string(),
    event: z.record(z.string(), z.unknown()),
  }),
  z.object({
    ...journalled,
    type: z.literal('observation'),
    actionId: z.string(),
    event: z.record(z.string(), z.unknown()),
  }),
  z.object({
    ...journalled,
    type: z.literal('state'),
    state: sessionState,
    reason: z.string().nullable(),
  }),
  approvalNotice.extend(journalled),
  changeNotice.extend(journalled),
  z.object({
    type: z.literal('output'),
    time: z.iso.datetime(),
    actionId: z.string().nullable(),
    shell: z.string(),
    data: z.string(),
  }),
  /** Output that this watcher was too slow for, or that is not known: how much, where that can be told. */
  z.object({ type: z.literal('lost-output'), bytes: z.int().nullable() }),
  /** Everything up to here is told; what follows is live. */
  z.object({ type: z.literal('live'), seq: z.int() }),
]);
export type SessionEvent = z.infer<typeof sessionEvent>;
