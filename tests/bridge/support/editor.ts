import type { EditorRequest } from '@fairlead/protocol';
import type { Call } from '../../../packages/extension/src/bridge/answer.ts';
import { RequestError } from '../../../packages/extension/src/requests/request-error.ts';

const model = { id: 'm-1', name: 'Model', vendor: 'test', family: 'm' };
const file = { path: '/project/a.ts', uri: 'file:///project/a.ts' };
const start = { line: 0, character: 4 };

/** Answers every request in a way that shows what was asked. */
export async function editor(
  { type, params }: EditorRequest,
  { onPart, signal }: Call,
): Promise<Record<string, unknown>> {
  switch (type) {
    case 'vscode/chat': {
      if (params.message === 'refuse') throw new RequestError('refused', 'The model would not answer.');
      if (params.message === 'none') throw new RequestError('no_model', 'Install one.');
      const response = `You said: ${params.message}`;
      if (params.stream) for (const word of response.split(/(?<= )/)) onPart(word);
      if (params.message === 'never') await aborted(signal);
      return { response, conversationId: params.conversationId ?? 'c-1', model };
    }
    case 'vscode/getChatHistory':
      return { messages: [{ role: 'user', content: params.conversationId, timestamp: 1 }] };
    case 'vscode/executeCommand':
      if (params.command === 'slow') await aborted(signal);
      return { result: params.args };
    case 'vscode/showMessage':
      return { button: params.buttons[0] ?? null };
    case 'vscode/ask': {
      const answer = params.kind === 'confirm' ? true : (params.default ?? params.choices[0] ?? 'Ada');
      return { questionId: params.questionId ?? 'q-1', answer, outcome: 'answered' };
    }
    case 'vscode/openFile':
      return { ...file, path: params.path, languageId: 'typescript', lineCount: 3 };
    case 'vscode/showDiff':
      return { title: params.title ?? 'a ↔ b' };
    case 'vscode/diagnostics': {
      const range = { start, end: start };
      return {
        diagnostics: [{ ...file, range, severity: 'error', message: 'no', source: null, code: null }],
        isTruncated: false,
      };
    }
    case 'vscode/progress':
      return { isCancelled: params.percent === 50 };
    case 'vscode/openEditors':
      return { files: [], active: null };
    case 'vscode/symbols':
    case 'vscode/definition':
    case 'vscode/references':
    case 'vscode/rename':
      throw new RequestError('failed', `No test asks for ${type}.`);
  }
}

async function aborted(signal: AbortSignal): Promise<never> {
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve());
  });
  throw new RequestError('cancelled', 'It was cancelled.');
}
