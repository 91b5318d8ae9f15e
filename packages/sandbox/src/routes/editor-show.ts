import { answerJson, type HttpRoute } from '@fairlead/http';
import { documentAnswer, editorAnswer } from '../editor-server/editor-answer.ts';
import type { MachineContext } from '../sandbox.ts';

export const route: HttpRoute<MachineContext> = {
  summary: 'Whether the web VS Code runs',
  document: (z) => ({ answers: { 200: documentAnswer(z) } }),
  async handle({ response, sandbox }) {
    answerJson(response, await editorAnswer(sandbox, (editor) => editor.status()));
  },
};
