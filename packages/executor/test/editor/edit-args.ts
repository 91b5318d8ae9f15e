import { type EditArgs, editArgs } from '@fairlead/protocol';

export function edit(command: string, path: string, rest: Partial<EditArgs> = {}): EditArgs {
  return editArgs.parse({ command, path, ...rest });
}
