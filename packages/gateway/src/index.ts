export { createApiKey } from './auth/keys.ts';
export { newOwner } from './auth/owners.ts';
export { openDockerDriver } from './drivers/docker/docker-driver.ts';
export type { Diagnosis } from './drivers/driver.ts';
export { openLocalDriver } from './drivers/local/local-driver.ts';
export { startGateway } from './gateway.ts';
export type { Gateway, GatewayOptions } from './gateway-options.ts';
export { openStateStore } from './state-dir.ts';
export type { OwnerRecord, Store } from './store/store.ts';
