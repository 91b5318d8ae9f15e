import { z } from 'zod';

/** OpenHands sends these with every action; a runtime carries them along and decides nothing by them. */
export const commonArgs = {
  thought: z.string().default(''),
  // An unknown risk is dropped, never refused: older clients invent values.
  security_risk: z.int().min(-1).max(2).catch(-1).default(-1),
};

export const confirmationState = z
  .enum(['confirmed', 'rejected', 'awaiting_confirmation'])
  .default('confirmed');
