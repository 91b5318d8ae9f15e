import { type Action, type ActionName, actionArgs, actionEnvelope } from './action.ts';
import { describeIssues } from './describe-issues.ts';

export type Decoded = { ok: true; action: Action } | { ok: false; reason: DecodeFailure; message: string };

/** `unknown-event`: not an action at all; `unknown-action`: no such name; `bad-arguments`: a field is wrong. */
export type DecodeFailure = 'unknown-event' | 'unknown-action' | 'bad-arguments';

/** Validates an OpenHands event once, at the wire. Nothing behind this checks again. */
export function decodeAction(event: Record<string, unknown>): Decoded {
  if (!('action' in event)) return failure('unknown-event', unknownEvent(event));
  const envelope = actionEnvelope.safeParse(event);
  if (!envelope.success) return failure('bad-arguments', describeIssues(envelope.error));
  const { action: name, timeout, shell, diagnostics } = envelope.data;
  if (!isActionName(name)) return failure('unknown-action', unknownAction(name));
  const args = actionArgs[name].safeParse(withoutLegacyArgs(envelope.data.args));
  if (!args.success) return failure('bad-arguments', `${name}: ${describeIssues(args.error, 'args')}`);
  // The schema was looked up by the same name, which TypeScript cannot follow through a union.
  const action = { action: name, args: args.data, shell } as Action;
  if (timeout != null) action.timeout = timeout;
  if (diagnostics) action.diagnostics = true;
  return { ok: true, action };
}

export function isActionName(name: string): name is ActionName {
  return Object.hasOwn(actionArgs, name);
}

/** Names that older clients still send: renamed, or without meaning for a runtime. */
function withoutLegacyArgs(given: Record<string, unknown>): Record<string, unknown> {
  const {
    timestamp,
    keep_prompt,
    task_completed,
    translated_ipython_code,
    is_confirmed,
    images_urls,
    ...args
  } = given;
  if (is_confirmed !== undefined && args['confirmation_state'] === undefined)
    args['confirmation_state'] = is_confirmed;
  if (images_urls !== undefined) args['image_urls'] = images_urls;
  const command = translatedEditorCommand(translated_ipython_code);
  return command === undefined ? args : { ...args, ...command };
}

/** Old clients wrap an editor call in Python: `print(file_editor(**{…}))`, with JSON between the braces. */
function translatedEditorCommand(code: unknown): Record<string, unknown> | undefined {
  if (typeof code !== 'string') return undefined;
  const json = /^print\(file_editor\(\*\*(\{.*\})\)\)$/s.exec(code.trim())?.[1];
  if (json === undefined) return undefined;
  try {
    const { command, ...rest } = JSON.parse(json) as Record<string, unknown>;
    return command === 'view' || command === undefined ? rest : { ...rest, command };
  } catch {
    return undefined;
  }
}

function failure(reason: DecodeFailure, message: string): Decoded {
  return { ok: false, reason, message };
}

function unknownEvent(event: Record<string, unknown>): string {
  const keys = Object.keys(event).slice(0, 10).join(', ') || 'none';
  return `Unknown event type: no "action" field (fields: ${keys}). Send {"action": "run", "args": {…}}.`;
}

function unknownAction(name: string): string {
  const known = Object.keys(actionArgs).join(', ');
  return `'${name.slice(0, 100)}' is not an action of a runtime. Available actions: ${known}.`;
}
