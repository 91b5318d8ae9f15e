import { RequestError } from '../request-error.ts';

/** An error of VS Code's language models, known by its code: their classes differ between extension hosts. */
export function chatError(error: unknown): RequestError {
  const { code, message, cause } = error as { code?: unknown; message?: string; cause?: unknown };
  const text = [message, (cause as Error | undefined)?.message].filter(Boolean).join(': ') || String(error);
  if (/off[_ -]?topic/i.test(text))
    return new RequestError('off_topic', `The model only answers other questions: ${text}`);
  switch (code) {
    case 'NoPermissions':
      return new RequestError(
        'no_permission',
        `The user has not allowed Fairlead to use this language model: ${text}. Run "Manage Language Model Access" in VS Code.`,
      );
    case 'Blocked':
      return new RequestError('refused', `The language model refused the request: ${text}`);
    case 'NotFound':
      return new RequestError('no_model', `The language model is gone: ${text}`);
    default:
      return new RequestError('failed', `The language model failed: ${text}`);
  }
}

/** Some models refuse in words, and nothing but these words. */
export function refusalInText(answer: string): RequestError | undefined {
  const text = answer.trim();
  if (text.length > 200 || !refusal.test(text)) return undefined;
  const code = /off[- ]topic|programming|software development/i.test(text) ? 'off_topic' : 'refused';
  return new RequestError(code, `The language model refused the request: ${text}`);
}

const refusal = /^(i'?m )?sorry,? (but )?i (can('|’)?t|cannot) (assist|help) with (that|this)/i;
