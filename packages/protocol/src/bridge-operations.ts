import { z } from 'zod';

/**
 * Work that programs of the first version of the bridge leave to the window: a form to fill in, a person to be asked, a
 * function of another extension. They tell of it by an event, and wait for another event that brings the result.
 */
export const operationEvents = {
  started: 'asyncOperationStarted',
  /** It is over, or needs nobody any more. */
  updated: 'asyncOperationUpdated',
  /** window → program: the result. In a debug session a request of this name. */
  submit: 'asyncOperationSubmit',
} as const;

/** A frame without an id, in both directions. */
export const operationFrame = z.object({
  type: z.literal('dapEvent'),
  event: z.string().max(200),
  body: z.record(z.string(), z.unknown()).default({}),
});

const operationId = z.union([z.string().min(1).max(200), z.number()]);
const text = z.string().nullish().catch(null);
const fields = z.record(z.string(), z.unknown()).catch({});

/** The body of `asyncOperationStarted`, as far as anything is done with it. */
export const startedOperation = z.object({
  operationId,
  /** Known to whoever may answer in the user's stead. */
  resumeToken: z.string().min(1).max(1000).nullish(),
  /** `form`, `copilot_participant`, `http_endpoint`, `lambda`, or what a program makes up. */
  operationType: text,
  transitionId: text,
  transitionName: text,
  transitionDescription: text,
  timeoutMs: z.number().positive().max(86_400_000).nullish().catch(null),
  uiState: fields,
  metadata: fields,
});
export type StartedOperation = z.infer<typeof startedOperation>;

/** The body of `asyncOperationUpdated`. */
export const updatedOperation = z.object({ operationId, status: z.string().catch('pending') });

/** The body of `asyncOperationSubmit`. */
export interface SubmittedOperation {
  operationId: string | number;
  resumeToken: string | null;
  result: unknown;
  error: string | null;
}
