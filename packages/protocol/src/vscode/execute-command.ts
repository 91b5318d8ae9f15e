import { z } from 'zod';
import { editorRequest, timeoutMs } from './request.ts';

/**
 * `vscode/executeCommand`: runs a command of VS Code, if the setting `fairlead.commands.allowed` has it and the user
 * consents. `Uri`, `Position`, `Range`, `Selection` and `Location` have the forms of `vscodeValue`, in arguments and in the result.
 */
export const executeCommand = editorRequest({
  type: 'vscode/executeCommand',
  capability: 'command',
  params: z.strictObject({
    command: z.string().min(1).max(500),
    args: z.array(z.unknown()).max(100).default([]),
    timeout: timeoutMs.default(10_000),
  }),
  /** Null where the command returned nothing. */
  result: z.object({ result: z.unknown() }),
});
