import type * as vscode from 'vscode';
import { expect, test } from 'vitest';
import { debugConfiguration } from '../../src/run/debug-configuration.ts';

function configure(languageId: string, ...debuggers: { type: string; languages?: string[] }[]) {
  const document = { uri: { path: '/a b/c.x', fsPath: '/a b/c.x' }, languageId } as vscode.TextDocument;
  const extension = { packageJSON: { contributes: { debuggers } } } as vscode.Extension<unknown>;
  return debugConfiguration(document, [extension]);
}

test.each([
  ['javascript', { type: 'pwa-node' }],
  ['typescript', { type: 'node' }],
  ['shellscript', { type: 'bashdb', languages: ['shellscript'] }],
])('%s is not debugged in a terminal, whose command line would show the token', (language, known) => {
  expect(configure(language, known)).toMatchObject({
    type: known.type,
    program: '/a b/c.x',
    console: 'internalConsole',
  });
});

test('Python has a terminal to read from: its debugger tells the environment in another way', () => {
  const known = [{ type: 'node' }, { type: 'debugpy' }];
  expect(configure('python', ...known)).toMatchObject({ type: 'debugpy', console: 'integratedTerminal' });
});

test('what no installed extension can debug has no configuration', () => {
  expect(configure('rust', { type: 'node' })).toBeUndefined();
});
