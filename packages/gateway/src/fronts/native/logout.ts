import type { HttpRoute } from '@fairlead/http';
import { endedLoginCookie, readLoginCookie } from '../../auth/cookies.ts';
import type { OpenContext } from '../context.ts';

export const route: HttpRoute<OpenContext> = {
  summary: 'End the login of the cookie, and take the cookie away',
  document: () => ({ answers: { 204: { description: 'Done, also where there was none' } } }),
  async handle({ request, response, gateway }) {
    const cookie = readLoginCookie(request.headers.cookie, gateway.urls);
    if (cookie.kind === 'value') {
      await gateway.logins.end(cookie.value);
      await gateway.streams.check();
    }
    gateway.admissions.clear();
    response.writeHead(204, { 'set-cookie': endedLoginCookie(gateway.urls) }).end();
  },
};
