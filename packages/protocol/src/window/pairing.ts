import { z } from 'zod';

/** A one-time code that lets a window connect without a key; the window gets a key of its own for it. */
export const pairing = z.object({
  code: z.string(),
  /** Opens VS Code and connects the window that takes it. */
  link: z.string(),
  /** The address that the link tells the window to dial. */
  url: z.string(),
  expiresAt: z.iso.datetime(),
});
export type Pairing = z.infer<typeof pairing>;
