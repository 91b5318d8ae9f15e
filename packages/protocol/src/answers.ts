import type { ChangedDiagnostics } from './actions/diagnostics.ts';
import type { EditArgs, EditObservation } from './actions/edit.ts';
import type { ErrorObservation } from './actions/error.ts';
import type { ReadArgs, ReadObservation } from './actions/read.ts';
import type { RunMetadata, RunObservation } from './actions/run.ts';
import type { VscodeObservation } from './actions/vscode.ts';
import type { WriteObservation } from './actions/write.ts';

// Only types from the schemas: who answers need not load what checks questions, and starts the sooner.

export const unknownMetadata: RunMetadata = Object.freeze({
  exit_code: -1,
  pid: -1,
  username: null,
  hostname: null,
  working_dir: null,
  py_interpreter_path: null,
  prefix: '',
  suffix: '',
});

export function runObservation(
  command: string,
  content: string,
  metadata: Partial<RunMetadata> = {},
  hidden = false,
): RunObservation {
  const whole = { ...unknownMetadata, ...metadata };
  return {
    observation: 'run',
    content,
    message: `Command \`${command}\` executed with exit code ${whole.exit_code}.`,
    extras: { command, metadata: whole, hidden },
    success: whole.exit_code === 0,
  };
}

export function readObservation(
  path: string,
  content: string,
  implSource: ReadArgs['impl_source'] = 'default',
): ReadObservation {
  return {
    observation: 'read',
    content,
    message: `I read the file ${path}.`,
    extras: { path, impl_source: implSource },
  };
}

export function writeObservation(
  path: string,
  content = '',
  diagnostics?: ChangedDiagnostics,
): WriteObservation {
  const extras = { path, ...(diagnostics && { diagnostics }) };
  return { observation: 'write', content, message: `I wrote to the file ${path}.`, extras };
}

export function editObservation(
  args: EditArgs,
  content: string,
  diff = '',
  diagnostics?: ChangedDiagnostics,
): EditObservation {
  return {
    observation: 'edit',
    content,
    message: `I edited the file ${args.path}.`,
    extras: {
      path: args.path,
      prev_exist: false,
      // The contract puts the searched and the new text here, not the file's.
      old_content: args.old_str,
      new_content: args.new_str,
      impl_source: 'oh_aci',
      diff,
      _diff_cache: null,
      ...(diagnostics && { diagnostics }),
    },
  };
}

export function vscodeObservation(type: string, result: Record<string, unknown>): VscodeObservation {
  return {
    observation: 'vscode',
    content: JSON.stringify(result),
    message: `The editor answered ${type}.`,
    extras: { type, result },
  };
}

export function errorObservation(content: string, errorId = ''): ErrorObservation {
  return { observation: 'error', content, message: content, extras: { error_id: errorId } };
}
