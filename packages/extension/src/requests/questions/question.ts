import { z } from 'zod';

const choice = z.object({ label: z.string(), description: z.string() });

/** A question as it is kept over a reload of the window. */
export const storedQuestion = z.object({
  questionId: z.string(),
  /** The run or the session it belongs to, and how that is called. */
  askerId: z.string(),
  who: z.string(),
  isScript: z.boolean(),
  message: z.string(),
  kind: z.enum(['input', 'pick', 'multiPick', 'confirm']),
  choices: z.array(choice),
  placeholder: z.string(),
  isPassword: z.boolean(),
  default: z.union([z.string(), z.array(z.string()), z.boolean()]).nullable(),
  /** Milliseconds since 1970; `expiresAt` is null when it waits for as long as it takes. */
  askedAt: z.number(),
  expiresAt: z.number().nullable(),
  /** What came while nobody could be told; `expired`: its time was over. */
  answer: z
    .object({
      answer: z.union([z.string(), z.array(z.string()), z.boolean()]).nullable(),
      outcome: z.enum(['answered', 'dismissed', 'expired']),
    })
    .nullable(),
});
export type Question = z.infer<typeof storedQuestion>;

export type QuestionName = Pick<Question, 'askerId' | 'questionId'>;

/** Nobody can name a question of somebody else. */
export function keyOf({ askerId, questionId }: QuestionName): string {
  return `${askerId} ${questionId}`;
}

/** What whoever asked is told. */
export interface QuestionResult {
  questionId: string;
  answer: string | string[] | boolean | null;
  outcome: 'answered' | 'default' | 'dismissed';
}
