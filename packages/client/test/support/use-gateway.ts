import { afterEach, beforeEach } from 'vitest';
import { type Client, createClient } from '@fairlead/client';
import { key, TestGateway } from './test-gateway.ts';

/** A gateway and a client of it for each test. */
export function useGateway(): { gateway: TestGateway; client: Client } {
  const held = {} as { gateway: TestGateway; client: Client };
  beforeEach(async () => {
    held.gateway = await TestGateway.start();
    held.client = createClient({ url: held.gateway.url, key, retryForMs: 3_000 });
  });
  afterEach(() => held.gateway.close());
  return held;
}
