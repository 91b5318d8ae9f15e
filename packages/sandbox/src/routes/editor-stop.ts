import { answerJson, type HttpRoute } from '@fairlead/http';
import { documentAnswer, editorAnswer } from '../editor-server/editor-answer.ts';
import type { MachineContext } from '../sandbox.ts';

export const route: HttpRoute<MachineContext> = {
  summary: 'End the web VS Code and all that was started in it',
  document: (z) => ({ answers: { 200: documentAnswer(z) } }),
  async handle({ response, sandbox }) {
    answerJson(response, await editorAnswer(sandbox, (editor) => editor.stop()));
  },
};
