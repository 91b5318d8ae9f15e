import { startFakeSandbox } from './fake-sandbox.ts';
import { startTestGateway, type Tenant, type TestGateway } from './test-gateway.ts';

type Sandbox = Parameters<typeof startFakeSandbox>;

/** A gateway with one session, whose sandbox server is the given one. */
export async function startWithSandbox(
  ...sandbox: Sandbox
): Promise<TestGateway & Tenant & { base: string; kill(): void }> {
  const gateway = await startTestGateway();
  const tenant = await gateway.addTenant('anna');
  const { socketPath, kill } = await startFakeSandbox(...sandbox);
  gateway.sessions.socketPath = socketPath;
  return { ...gateway, ...tenant, base: `/runtimes/${tenant.session.id}`, kill };
}
