import type { HttpRoute } from '@fairlead/http';
import type { SessionContext } from '../context.ts';

export const route: HttpRoute<SessionContext> = {
  summary: 'Remove a session with its journal and its workspace, unless that is a folder that was given',
  document: () => ({ answers: { 204: { description: 'Gone' } } }),
  async handle({ response, gateway, session }) {
    await gateway.sessions.remove(session.id);
    gateway.admissions.clear();
    response.writeHead(204).end();
  },
};
