import { wish, type Approval, type ApprovalRequest } from './approval.ts';
import { fitsNotification, plainText } from './plain-text.ts';

/** What an agent wants, and the choices as links. */
export function notificationText({ id, agent, request }: Approval): string {
  const text = wish(request);
  const told = fitsNotification(text) ? plainText(text) : `${plainText(text.slice(0, 120))}…`;
  const choices = choicesOf(request).map(
    ([label, command]) =>
      `[${label}](command:fairlead.approval.${command}?${encodeURIComponent(JSON.stringify([id]))})`,
  );
  return `${plainText(agent.name)} wants to ${told} — ${choices.join(' · ')}`;
}

/** Whether a line tells all of it; of an edit there is the diff beside it. */
export function isToldWhole(request: ApprovalRequest): boolean {
  return fitsNotification(wish(request)) && (request.kind !== 'ask' || request.detail === '');
}

/** Nobody can agree here to what is not shown whole. */
function choicesOf(request: ApprovalRequest): [label: string, command: string][] {
  const reject: [string, string] = ['Reject with a reason…', 'reject'];
  if (!isToldWhole(request)) return [[request.kind === 'ask' ? 'Details' : 'Review', 'review'], reject];
  return [...ways[request.kind], ['Always…', 'always'], reject];
}

const ways: Record<ApprovalRequest['kind'], [label: string, command: string][]> = {
  run: [
    ['Run', 'accept'],
    ['Edit…', 'edit'],
  ],
  edit: [
    ['Accept', 'accept'],
    ['Review', 'review'],
  ],
  ask: [['Allow', 'accept']],
};
