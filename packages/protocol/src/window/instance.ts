import { z } from 'zod';
import { sessionId } from '../session-id.ts';
import { windowFolder } from './facts.ts';

/**
 * A window as `/api/vscode/*` shows it. The names in snake case are those of the earlier OpenHands registry, which its clients read.
 */
export const windowInstance = z.object({
  connection_id: z.string(),
  workspace_name: z.string(),
  workspace_path: z.string(),
  vscode_version: z.string(),
  extension_version: z.string(),
  capabilities: z.array(z.string()),
  status: z.literal('active'),
  registered_at: z.iso.datetime(),
  last_heartbeat: z.iso.datetime(),
  /** False of one that only registered by HTTP: no session can be made in it. */
  takes_sessions: z.boolean(),
  folders: z.array(windowFolder),
  app_name: z.string(),
  remote_name: z.string().nullable(),
  is_trusted: z.boolean(),
  /** Sessions that have their runtime in it. */
  sessions: z.array(z.object({ id: sessionId, agent: z.string() })),
});
export type WindowInstance = z.infer<typeof windowInstance>;

export const registerInstanceRequest = z.object({
  workspace_path: z.string().min(1).max(4096),
  workspace_name: z.string().min(1).max(256),
  vscode_version: z.string().min(1).max(256),
  extension_version: z.string().min(1).max(256),
  capabilities: z.array(z.string().max(256)).max(100).default([]),
});
export type RegisterInstanceRequest = z.infer<typeof registerInstanceRequest>;

export const registryStats = z.object({
  total_instances: z.int(),
  status_counts: z.record(z.string(), z.int()),
  sessions: z.int(),
});
export type RegistryStats = z.infer<typeof registryStats>;

/** Live changes of the list: first all that there are, then each that comes, changes or goes. */
export const instanceEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('instances'), instances: z.array(windowInstance) }),
  z.object({ type: z.literal('changed'), instance: windowInstance }),
  z.object({ type: z.literal('gone'), connection_id: z.string() }),
]);
export type InstanceEvent = z.infer<typeof instanceEvent>;
