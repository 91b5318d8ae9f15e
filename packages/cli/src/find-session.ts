import type { Client } from '@fairlead/client';
import { type Session, sessionIdPattern } from '@fairlead/protocol';
import { CliError } from './cli-error.ts';
import { exitCodes } from './exit-codes.ts';

/** The id that a person means: the whole of it, its beginning, or the session's label `name`. */
export async function findSession(client: Client, text: string): Promise<string> {
  if (sessionIdPattern.test(text)) return text;
  const sessions = await client.sessions.list();
  const named = sessions.filter(({ labels }) => labels['name'] === text);
  const found = named.length > 0 ? named : sessions.filter(({ id }) => text !== '' && id.startsWith(text));
  if (found.length === 1 && found[0] !== undefined) return found[0].id;
  if (found.length === 0)
    throw refused(`No session begins with "${text}" or has the label name=${text}. ${listed(sessions)}`);
  throw refused(`"${text}" stands for ${found.length} sessions: ${shown(found)}. Give more of the id.`);
}

function listed(sessions: Session[]): string {
  return sessions.length === 0
    ? 'You have none: "fairlead session create" makes one.'
    : `You have: ${shown(sessions)}.`;
}

const mostShown = 10;

function shown(sessions: Session[]): string {
  const texts = sessions.slice(0, mostShown).map(({ id, labels }) => {
    return labels['name'] === undefined ? id : `${id} (${labels['name']})`;
  });
  const more = sessions.length - texts.length;
  return texts.join(', ') + (more > 0 ? ` and ${more} more` : '');
}

function refused(message: string): CliError {
  return new CliError(message, 'not-found', exitCodes.refused);
}
