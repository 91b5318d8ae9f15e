import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Session } from '@fairlead/protocol';
import { prepareUnpackedExtension } from 'fairlead/unpacked';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import type { Caller } from '../../gateway/support/caller.ts';
import type { GatewayProcess } from '../../gateway/support/gateway-process.ts';
import { Place } from '../../gateway/support/place.ts';
import { type Chromium, chromiumTags, useChromium } from '../../support/chromium.ts';
import { codeServerTags, useCodeServer } from '../../support/code-server.ts';
import { keepScreenshot } from '../../support/keep-screenshot.ts';
import { missingNeeds } from '../../../scripts/machine-needs.mjs';
import type { Front, FrontKind } from './front.ts';
import { freePort } from '../../support/free-port.ts';

export const stageTags = [...codeServerTags, ...chromiumTags];

/** For machines that have much else to do. */
export const stageTimeoutMs = 300_000;

export type LinkRequest =
  { place: 'editor' } | { place: 'app'; number: number; share?: { expiresInSeconds: number } };

/** A gateway with a real editor, reached in one way, and a browser. */
export interface Stage {
  readonly chromium: Chromium;
  readonly owner: Caller;
  /** Of a second tenant. */
  readonly other: Caller;
  /** Where browsers find the gateway itself. */
  readonly url: string;
  /** With these files in its workspace. */
  createSession(files: Record<string, string>): Promise<Session>;
  workspaceOf(id: string): string;
  /** That lets a browser in, once. */
  link(id: string, wanted: LinkRequest): Promise<string>;
  /** On the port that it had. */
  restartGateway(): Promise<void>;
  keepScreenshot(page: Page, name: string): Promise<string>;
}

/** For the body of a `describe` that carries the tags of all of this. */
export function useStage(kind: FrontKind, tags: string[]): Stage {
  const codeServer = useCodeServer();
  const chromium = useChromium(kind.chromiumArgs);
  const place = new Place();
  let port: number;
  let front: Front | undefined;
  let gateway: GatewayProcess;
  let tenantKey: string;

  beforeAll(async () => {
    // Its suites are skipped; hooks around them are not.
    if (missingNeeds().some(({ name }) => tags.includes(name))) return;
    port = await freePort();
    front = await kind.open(port);
    await startGateway();
    tenantKey = await place.addTenant('other');
  }, 120_000);
  afterAll(async () => {
    await place.end();
    await front?.close();
  }, 120_000);

  return {
    chromium,
    get owner() {
      return gateway.owner;
    },
    get other() {
      return gateway.owner.with(tenantKey);
    },
    get url() {
      return front!.url;
    },
    async createSession(files) {
      const { id } = await gateway.owner.create();
      for (const [name, text] of Object.entries(files))
        writeFileSync(join(place.workspaceOf(id), name), text);
      return gateway.owner.session(id);
    },
    workspaceOf: (id) => place.workspaceOf(id),
    async link(id, wanted) {
      const { status, json, text } = await gateway.owner.call('POST', `/api/sessions/${id}/links`, wanted);
      if (status !== 201) throw new Error(`no link to ${JSON.stringify(wanted)} of ${id}: ${status} ${text}`);
      return (json as { url: string }).url;
    },
    async restartGateway() {
      await gateway.close();
      await startGateway();
    },
    keepScreenshot: (page, name) => keepScreenshot(page, `${kind.name}-${name}`),
  };

  async function startGateway(): Promise<void> {
    const extension = await prepareUnpackedExtension();
    gateway = await place.spawn({ port, editor: { ...codeServer.editor, extension }, ...front!.options });
  }
}
