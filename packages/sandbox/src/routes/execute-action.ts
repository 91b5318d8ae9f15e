import { hash, randomUUID } from 'node:crypto';
import {
  answerJson,
  answerText,
  check,
  checkHeader,
  HttpError,
  type HttpRoute,
  parseJson,
  readText,
} from '@fairlead/http';
import {
  actionHeaders,
  decodeAction,
  errorObservation,
  executeActionRequest,
  observationSchema,
} from '@fairlead/protocol';
import { z } from 'zod';
import { NotRecordedError } from '../actions.ts';
import type { Context } from '../sandbox.ts';

const bodyLimitBytes = 64 * 1024 * 1024;

const executeActionHeaders = actionHeaders.extend({
  /** Only with an `Idempotency-Key`: answer what is known of it, and see to it that it is not run otherwise. */
  'x-resume-only': z
    .string()
    .regex(/^true$/, 'use "true", or leave it out')
    .optional(),
});

export const route: HttpRoute<Context> = {
  summary: 'Execute an action and answer with its observation',
  document: () => ({
    headers: executeActionHeaders,
    body: { contentType: 'application/json', schema: executeActionRequest },
    answers: {
      200: {
        description:
          'The observation; what cannot be done is an `error` observation. With the header `X-Withdrawn: true`: ' +
          'the action never came here before `X-Resume-Only` asked for it, and is never run',
        schema: observationSchema,
      },
      400: { description: 'Not an action, or a wrong argument or header; nothing was executed' },
      409: { description: 'The chosen X-Action-Id is in use; nothing was executed' },
      413: { description: 'The body is larger than 64 MiB' },
      422: { description: 'Not JSON, no `action` object, or an Idempotency-Key with another body' },
      503: { description: 'The server is shutting down, or cannot record for a retry; nothing was executed' },
    },
  }),
  async handle({ request, response, sandbox }) {
    const text = await readText(request, bodyLimitBytes);
    const { action: event } = check(executeActionRequest, parseJson(text));
    const key = checkHeader(executeActionHeaders, request.headers, 'idempotency-key');
    const retry = key === undefined ? undefined : { key, bodyHash: hash('sha256', text) };
    const chosenId = checkHeader(executeActionHeaders, request.headers, 'x-action-id');
    const isResumeOnly = checkHeader(executeActionHeaders, request.headers, 'x-resume-only') !== undefined;
    if (isResumeOnly && retry === undefined) throw keyMissing();
    const decoded = decodeAction(event);
    if (!decoded.ok) {
      if (decoded.reason !== 'unknown-action') throw new HttpError(400, decoded.message);
      return answerJson(response, errorObservation(decoded.message));
    }

    // No await from here to the record: two requests with one key must not both find it new.
    const earlier = retry && sandbox.actions.earlier(retry.key);
    if (earlier !== undefined) {
      if (earlier.retry.bodyHash !== retry?.bodyHash) throw keyReused();
      const observationJson = await earlier.observationJson;
      return answerText(response, observationJson, 200, {
        'x-action-id': earlier.actionId,
        'idempotent-replayed': 'true',
        ...(earlier.retry.isWithdrawn && withdrawnHeader),
      });
    }
    if (sandbox.actions.isDraining)
      throw new HttpError(503, 'The server is shutting down; nothing was executed');
    if (chosenId !== undefined && sandbox.actions.isKnown(chosenId)) throw idInUse(chosenId);
    const actionId = chosenId ?? randomUUID();
    const { action } = decoded;
    if (isResumeOnly && retry !== undefined) {
      const observationJson = await start(() => sandbox.actions.withdraw({ actionId, action, event, retry }));
      return answerText(response, observationJson, 200, { 'x-action-id': actionId, ...withdrawnHeader });
    }
    const observationJson = await start(() => sandbox.actions.run({ actionId, action, event, retry }));
    answerText(response, observationJson, 200, { 'x-action-id': actionId });
  },
};

const withdrawnHeader = { 'x-withdrawn': 'true' };

function start(run: () => Promise<string>): Promise<string> {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof NotRecordedError)) throw error;
    const remedy = 'free disk space, or send the action without an Idempotency-Key';
    throw new HttpError(
      503,
      `The action could not be recorded (${error.message}) and was not executed; ${remedy}`,
    );
  }
}

function keyMissing(): HttpError {
  return new HttpError(400, 'Header x-resume-only: send it together with the Idempotency-Key of the action');
}

function keyReused(): HttpError {
  return new HttpError(
    422,
    'This Idempotency-Key was used with a different body; send a new key with a new action. Nothing was executed.',
  );
}

function idInUse(actionId: string): HttpError {
  return new HttpError(409, `X-Action-Id "${actionId}" belongs to another action; choose a new one`);
}
