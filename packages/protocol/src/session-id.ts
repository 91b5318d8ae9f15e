import { z } from 'zod';

/** Fixed length, and both a path segment and a DNS label: no id is the beginning of another. */
export const sessionIdPattern = /^[a-z][a-z0-9]{19}$/;
export const sessionId = z
  .string()
  .regex(sessionIdPattern, 'use the 20 letters and digits that the session was created with');
