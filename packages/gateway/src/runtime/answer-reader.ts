import type { Dispatcher } from 'undici';
import { ByteBudget } from './byte-budget.ts';

const megabyte = 1024 * 1024;
/** Above the largest file that a sandbox reads at once. */
const limitBytes = 128 * megabyte;
/** From here on an answer is rare enough to wait for others of its kind. */
const largeBytes = megabyte;
const allSmallBytes = 16 * megabyte;
/** The whole body, once its head is there: who holds room for it must not hold it as long as he likes. */
const bodyTimeoutMs = 60_000;

/** Of this process: its memory is one. */
const largeAnswers = new ByteBudget(2 * limitBytes);

/** Reads what the sandbox of one session answers, of which not all is held at once whatever the sandbox says. */
export class AnswerReader {
  readonly #small = new ByteBudget(allSmallBytes);
  readonly #large = new ByteBudget(limitBytes);

  /** The server always tells the length, and no more than that is read: an empty text where it would be too much. */
  async read({ headers, body }: Dispatcher.ResponseData, cancelled: AbortSignal): Promise<string> {
    // Whoever waits below does not listen yet.
    body.on('error', () => undefined);
    const length = Number(headers['content-length']);
    if (!(length <= limitBytes)) {
      body.destroy();
      return '';
    }
    const text = () => inTime(body);
    try {
      if (length < largeBytes) return await this.#small.use(length, cancelled, text);
      return await this.#large.use(length, cancelled, () => largeAnswers.use(length, cancelled, text));
    } catch (error) {
      body.destroy();
      throw error;
    }
  }
}

async function inTime(body: Dispatcher.ResponseData['body']): Promise<string> {
  const timer = setTimeout(() => body.destroy(new Error('the answer did not arrive in time')), bodyTimeoutMs);
  try {
    return await body.text();
  } finally {
    clearTimeout(timer);
  }
}
