import type { HttpRoute } from '@fairlead/http';
import { endedLoginCookie, readLoginCookie } from '../../auth/cookies.ts';
import type { OpenContext } from '../context.ts';

export const route: HttpRoute<OpenContext> = {
  summary: 'End the login of the cookie, and take the cookie away',
  document: () => ({ answers: { 204: { description: 'Done, also where there was none' } } }),
  async handle({ request, response, gateway }) {
    const cookie = readLoginCookie(request.headers.cookie);
    if (cookie.kind === 'value') {
      await gateway.logins.end(cookie.value);
      await gateway.streams.check();
    }
    const isSecure = gateway.publicUrl?.startsWith('https:') ?? false;
    response.writeHead(204, { 'set-cookie': endedLoginCookie(isSecure) }).end();
  },
};
