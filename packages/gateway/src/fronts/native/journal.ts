import { checkQuery, type HttpRoute } from '@fairlead/http';
import { sessionEvent, type SessionEvent } from '@fairlead/protocol';
import { z } from 'zod';
import { begun } from '../../http/begun.ts';
import { writeSlowly } from '../../http/write-slowly.ts';
import type { SessionContext } from '../context.ts';
import { afterNumber } from './events.ts';

const journalQuery = z.object({ after: afterNumber.default('0') });

export const route: HttpRoute<SessionContext> = {
  summary: 'The journal as it is now, a JSON object a line',
  document: () => ({
    query: journalQuery,
    answers: {
      200: {
        description: 'Actions, observations, notices of its window and changes of state, in order',
        contentType: 'application/x-ndjson',
        schema: sessionEvent,
      },
      400: { description: '`after` is beyond the last number' },
      422: { description: '`after` is not a number' },
    },
  }),
  async handle({ response, gateway, session, query }) {
    const after = Number(checkQuery(journalQuery, query).after);
    const gone = new AbortController();
    response.on('close', () => gone.abort());
    const batches = await begun(gateway.sessions.watch(session.id, { after, signal: gone.signal }));
    response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    for await (const texts of batches) {
      const events = texts.map((text) => ({ text, type: (JSON.parse(text) as SessionEvent).type }));
      const lines = events.filter(({ type }) => isRecord(type)).map(({ text }) => `${text}\n`);
      if (lines.length > 0) await writeSlowly(response, lines.join(''));
      if (events.some(({ type }) => type === 'live')) break;
    }
    response.end();
  },
};

function isRecord(type: SessionEvent['type']): boolean {
  return type !== 'output' && type !== 'lost-output' && type !== 'live';
}
