import { randomUUID } from 'node:crypto';
import { basename } from 'node:path/posix';
import type { WindowFacts } from '@fairlead/protocol';

export interface GivenFacts {
  windowId?: string;
  name?: string;
  folders?: string[];
  openSessions?: string[];
}

export function factsOf({ windowId, name, folders = ['/work'], openSessions = [] }: GivenFacts): WindowFacts {
  return {
    windowId: windowId ?? randomUUID(),
    name: name ?? basename(folders[0] ?? 'empty'),
    folders: folders.map((path) => ({ name: basename(path), uri: `file://${path}`, path })),
    vscodeVersion: '1.93.0',
    extensionVersion: '0.1.0',
    appName: 'test',
    remoteName: null,
    isTrusted: true,
    capabilities: [],
    openSessions,
  };
}
