import { decodeEditorRequest, type EditorRequest } from '@fairlead/protocol';
import { expect, test } from 'vitest';
import type * as vscode from 'vscode';
import { quietRequest } from '../../src/requests/quiet-request.ts';
import { toldOf } from '../../src/requests/told.ts';

test.each([
  ['vscode/openFile', { path: 'a.ts', focus: true }, 'focus'],
  ['vscode/showDiff', { left: { path: 'a.ts' }, right: { text: 'b' }, focus: true }, 'focus'],
  ['vscode/showMessage', { message: 'Hello', modal: true, buttons: ['Yes'] }, 'modal'],
])('an agent’s %s takes no keys', (type, params, field) => {
  const request = decoded(type, params);
  expect(request.params).toMatchObject({ [field]: true });
  expect(quietRequest(request)).toEqual({ ...request, params: { ...request.params, [field]: false } });
});

test('other requests are left as they are', () => {
  const request = decoded('vscode/diagnostics', { path: 'a.ts' });
  expect(quietRequest(request)).toBe(request);
});

test('of what was found, only what may be told is left, in its order, and each file is looked at once', async () => {
  const asked: string[] = [];
  const found = ['/ws/b', '/etc/passwd', '/ws/a', '/etc/passwd', '/ws/b'];
  const told = await toldOf(found, uri, async (file) => {
    asked.push(String(file));
    return String(file).startsWith('/ws/');
  });
  expect(told).toEqual(['/ws/b', '/ws/a', '/ws/b']);
  expect(asked).toEqual(['/ws/b', '/etc/passwd', '/ws/a']);
});

function decoded(type: string, params: Record<string, unknown>): EditorRequest {
  const answer = decodeEditorRequest(type, params);
  if (!answer.ok) throw new Error(answer.message);
  return answer.request;
}

/** Nothing but its text is used of it. */
function uri(path: string): vscode.Uri {
  return { toString: () => path } as vscode.Uri;
}
