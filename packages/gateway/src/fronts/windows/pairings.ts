import { answerJson, type HttpRoute } from '@fairlead/http';
import { pairing } from '@fairlead/protocol';
import type { IdentifiedContext } from '../context.ts';

/** What VS Code itself listens to; editors of other names take the link by paste. */
const extensionAddress = 'vscode://fairlead.fairlead/connect';

export const route: HttpRoute<IdentifiedContext> = {
  summary: 'A code, and a link with it, that lets one VS Code window connect',
  document: () => ({
    answers: { 201: { description: 'Good once, and for ten minutes', schema: pairing } },
  }),
  async handle({ request, response, gateway, identity }) {
    const { owner, keyId, loginHash } = identity;
    const grant = { ownerId: owner.id, keyId, ...(loginHash && { loginHash }) };
    const { code, expiresAtMs } = gateway.pairings.issue(grant);
    const url = gateway.urls.gatewayUrl(request);
    const link = `${extensionAddress}?${new URLSearchParams({ url, code })}`;
    answerJson(response, { code, link, url, expiresAt: new Date(expiresAtMs).toISOString() }, 201);
  },
};
