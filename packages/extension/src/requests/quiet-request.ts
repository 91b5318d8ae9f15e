import type { EditorRequest } from '@fairlead/protocol';

/** An agent's request without what would take the keys of somebody who types: the focus, and boxes in front of everything. */
export function quietRequest(request: EditorRequest): EditorRequest {
  if (request.type === 'vscode/openFile') return { ...request, params: { ...request.params, focus: false } };
  if (request.type === 'vscode/showDiff') return { ...request, params: { ...request.params, focus: false } };
  if (request.type === 'vscode/showMessage')
    return { ...request, params: { ...request.params, modal: false } };
  return request;
}
