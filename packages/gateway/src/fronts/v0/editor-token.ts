import { answerJson, type HttpRoute } from '@fairlead/http';
import { grantOf } from '../../web/place-door.ts';
import { editorTokenSeconds } from '../../web/place-passes.ts';
import type { SessionContext } from '../context.ts';

/** Clients put it in the address of the editor as `tkn`. It is the gateway's own, whatever the editor asks for. */
export const route: HttpRoute<SessionContext> = {
  summary: 'A token that lets a browser in to the web VS Code; null where there is none',
  document: (z) => ({
    answers: {
      200: { description: 'Good for ten minutes', schema: z.object({ token: z.string().nullable() }) },
      502: { description: 'The sandbox did not answer' },
      503: { description: 'The session does not run; resume it' },
    },
  }),
  async handle({ response, gateway, session, identity }) {
    const { state } = await gateway.places.showEditor(session.id);
    gateway.sessions.touch(session.id);
    const grant = grantOf(identity, { kind: 'editor', sessionId: session.id });
    const token =
      state === 'missing' ? null : gateway.passes.issue('editor-token', grant, editorTokenSeconds).text;
    answerJson(response, { token });
  },
};
