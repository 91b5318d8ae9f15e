import { answerJson, type HttpRoute } from '@fairlead/http';
import { editorAnswer } from '../editor-server/editor-answer.ts';
import type { MachineContext } from '../sandbox.ts';

export const route: HttpRoute<MachineContext> = {
  summary: 'Token of the web VS Code; null for one that asks for none',
  document: (z) => ({
    answers: { 200: { description: 'The token', schema: z.object({ token: z.string().nullable() }) } },
  }),
  async handle({ response, sandbox }) {
    const { token } = await editorAnswer(sandbox, (editor) => editor.status());
    answerJson(response, { token });
  },
};
