import { answerJson, type HttpRoute } from '@fairlead/http';
import { documentAnswer, editorAnswer } from '../editor-server/editor-answer.ts';
import type { Context } from '../sandbox.ts';

export const route: HttpRoute<Context> = {
  summary: 'End the web VS Code and all that was started in it',
  document: (z) => ({ answers: { 200: documentAnswer(z) } }),
  async handle({ response, sandbox }) {
    answerJson(response, await editorAnswer(sandbox, (editor) => editor.stop()));
  },
};
