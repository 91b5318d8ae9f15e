import { z } from 'zod';

/** What browsers are shown of a session: its web VS Code, and its apps. */

/** One of the app ports that a session has from its start, counted from 1. */
export const sessionApp = z.object({ number: z.int().positive(), port: z.int(), url: z.string() });
export type SessionApp = z.infer<typeof sessionApp>;

/** A port that a process of the session listens on, or one of its app ports. */
export const sessionPort = z.object({
  port: z.int(),
  /** Which of the session's app ports it is. */
  number: z.int().positive().nullable(),
  isListening: z.boolean(),
  /** Null where nothing listens. */
  address: z.string().nullable(),
  command: z.string().nullable(),
});
export type SessionPort = z.infer<typeof sessionPort>;

/** With where browsers reach it. */
export const shownPort = sessionPort.extend({ url: z.string() });
export type ShownPort = z.infer<typeof shownPort>;
export const portList = z.object({ ports: z.array(shownPort) });

export const editorState = z.object({
  /** `missing`: there is none; `running`: it has answered; `failed`: it could not be started. */
  state: z.enum(['missing', 'stopped', 'starting', 'running', 'failed']),
  product: z.enum(['code-server', 'openvscode-server', 'serve-web']).nullable(),
  /** The commit of VS Code, of one that runs. */
  version: z.string().nullable(),
  /** In words, with what to do. */
  detail: z.string(),
  /** What it opens. */
  folder: z.string(),
  /** What the editor itself asks browsers for; null for one that asks for nothing. */
  token: z.string().nullable(),
});
export type EditorState = z.infer<typeof editorState>;
