import type * as vscode from 'vscode';
import { parseGatewayAddress } from './gateway-address.ts';

/** The gateway that this user's windows connect to, and the key for it. */
export interface StoredGateway {
  url: string;
  key: string;
}

const secretName = 'fairlead.gateway';

/** Kept where VS Code keeps secrets, the address too: nothing that a workspace brings along can change it. */
export class GatewayStore {
  readonly #secrets: vscode.SecretStorage;

  constructor(secrets: vscode.SecretStorage) {
    this.#secrets = secrets;
  }

  async load(): Promise<StoredGateway | undefined> {
    const text = await this.#secrets.get(secretName);
    if (text === undefined) return undefined;
    const { url, key } = JSON.parse(text) as StoredGateway;
    const address = parseGatewayAddress(url);
    return address.ok ? { url: address.url, key } : undefined;
  }

  async save({ url, key }: StoredGateway): Promise<void> {
    await this.#secrets.store(secretName, JSON.stringify({ url, key }));
  }

  async forget(): Promise<void> {
    await this.#secrets.delete(secretName);
  }
}
