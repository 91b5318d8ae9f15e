import { z } from 'zod';
import { commonParams, editorRequest } from './request.ts';

const questionKind = z.enum(['input', 'pick', 'multiPick', 'confirm']);
export type QuestionKind = z.infer<typeof questionKind>;

const choice = z.union([
  z.string().min(1).max(1000),
  z.strictObject({ label: z.string().min(1).max(1000), description: z.string().max(1000).optional() }),
]);

/** A text, a label, several labels, or yes and no, by the kind of question. */
const answer = z.union([z.string().max(100_000), z.array(z.string()), z.boolean()]);
export type Answer = z.infer<typeof answer>;

const fields = z.strictObject({
  message: z.string().min(1).max(10_000),
  /** `pick` when there are choices, else `input`. */
  kind: questionKind.optional(),
  choices: z.array(choice).max(1000).default([]),
  placeholder: z.string().max(1000).optional(),
  /** Hides what is typed; such an answer is never written to disk. */
  password: z.boolean().default(false),
  /** The answer when the time is over; also what is filled in at first. Without one, time over is an error. */
  default: answer.optional(),
  /** Asked again under the same id, a question is shown once, and an answer that came meanwhile is given. */
  questionId: z
    .string()
    .regex(/^[\w.-]{8,128}$/, 'use 8 to 128 letters, digits, "_", "." or "-"')
    .optional(),
  ...commonParams,
});

/**
 * `vscode/ask`: asks the user. Closing the question puts it aside: it stays in the list of "Fairlead: Answer Pending
 * Questions", also over a reload of the window, until it is answered, dismissed, or its time is over.
 */
export const ask = editorRequest({
  type: 'vscode/ask',
  capability: 'interact',
  params: fields.superRefine((params, context) => {
    const kind = questionKindOf(params);
    const needsChoices = kind === 'pick' || kind === 'multiPick';
    if (needsChoices && params.choices.length === 0)
      context.addIssue({ code: 'custom', path: ['choices'], message: `a ${kind} needs at least one` });
    if (params.default !== undefined && !isAnswerTo(kind, params.default))
      context.addIssue({
        code: 'custom',
        path: ['default'],
        message: `does not fit a question of kind ${kind}`,
      });
  }),
  result: z.object({
    questionId: z.string(),
    /** Null when it was dismissed. */
    answer: answer.nullable(),
    outcome: z.enum(['answered', 'default', 'dismissed']),
  }),
});

export function questionKindOf(params: Pick<z.infer<typeof fields>, 'kind' | 'choices'>): QuestionKind {
  return params.kind ?? (params.choices.length > 0 ? 'pick' : 'input');
}

/** Whether an answer is one of the kind that was asked for. */
export function isAnswerTo(kind: QuestionKind, value: Answer): boolean {
  const expected = { input: 'string', pick: 'string', multiPick: 'object', confirm: 'boolean' } as const;
  return typeof value === expected[kind];
}
