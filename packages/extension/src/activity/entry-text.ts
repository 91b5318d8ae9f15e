import type { ActivityEntry } from './activity-log.ts';

/** The whole of one action for reading. */
export function entryText(entry: ActivityEntry): string {
  const { agent, name, startedAt, state, subject, content, actionId } = entry;
  return [
    `${name} by ${agent.name} (session ${agent.sessionId})`,
    `${startedAt.toISOString()}, ${state}${durationText(entry)}, action ${actionId}`,
    '',
    subject,
    '',
    content === undefined ? '(no observation yet)' : `--- observation ---\n${content}`,
    '',
  ].join('\n');
}

/** Behind other words: `, 1.2 s`; empty while it runs. */
export function durationText({ durationMs }: ActivityEntry): string {
  if (durationMs === undefined) return '';
  return durationMs < 1000 ? `, ${Math.round(durationMs)} ms` : `, ${(durationMs / 1000).toFixed(1)} s`;
}
