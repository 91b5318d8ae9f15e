import { answerJson, check, HttpError, type HttpRoute, readJson } from '@fairlead/http';
import { registerInstanceRequest } from '@fairlead/protocol';
import { z } from 'zod';
import type { IdentifiedContext } from '../context.ts';
import { windowNotFound } from './instances.ts';

/** For clients of the earlier OpenHands registry. What registers here is listed, and takes no sessions. */

const bodyLimitBytes = 256 * 1024;
const said = z.object({ message: z.string() });

export const registerRoute: HttpRoute<IdentifiedContext> = {
  summary: 'Register a window that speaks HTTP only; it is listed, and cannot take sessions',
  document: () => ({
    body: { contentType: 'application/json', schema: registerInstanceRequest },
    answers: {
      200: { description: 'Registered', schema: said.extend({ connection_id: z.string() }) },
      422: { description: 'A field is missing or wrong' },
      429: { description: 'The owner has registered as many as it may' },
    },
  }),
  async handle({ request, response, gateway, identity }) {
    const told = check(registerInstanceRequest, await readJson(request, bodyLimitBytes));
    const id = gateway.instances.register(identity.owner.id, told);
    const message = 'Registered. Send a heartbeat at least every five minutes';
    answerJson(response, { connection_id: id, message });
  },
};

export const beatRoute: HttpRoute<IdentifiedContext> = {
  summary: 'Say that a registered window is still there',
  document: () => ({
    answers: { 200: { description: 'Taken note of', schema: said }, 404: { description: 'Not registered' } },
  }),
  async handle({ response, gateway, identity, params }) {
    if (!gateway.instances.beat(identity.owner.id, params['instance'] ?? '')) throw windowNotFound();
    answerJson(response, { message: 'Taken note of' });
  },
};

export const unregisterRoute: HttpRoute<IdentifiedContext> = {
  summary: 'Unregister a window that was registered by HTTP',
  document: () => ({
    answers: {
      200: { description: 'Unregistered', schema: said },
      404: { description: 'Not registered' },
      409: { description: 'It has dialled; it is disconnected with DELETE /api/vscode/instance/{instance}' },
    },
  }),
  async handle({ response, gateway, identity, params }) {
    const id = params['instance'] ?? '';
    const ownerId = identity.owner.id;
    if (gateway.instances.unregister(ownerId, id)) return answerJson(response, { message: 'Unregistered' });
    if (gateway.instances.find(ownerId, id) === undefined) throw windowNotFound();
    throw new HttpError(
      409,
      `The window is connected; use DELETE /api/vscode/instance/${id} to disconnect it`,
    );
  },
};
