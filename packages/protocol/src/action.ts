import { z } from 'zod';
import { browseArgs, browseInteractiveArgs } from './actions/browse.ts';
import { editArgs } from './actions/edit.ts';
import { runIpythonArgs } from './actions/notebook.ts';
import { readArgs } from './actions/read.ts';
import { runArgs } from './actions/run.ts';
import { vscodeArgs } from './actions/vscode.ts';
import { writeArgs } from './actions/write.ts';

/** The one table of what a runtime executes; types, validation and documentation follow from it. */
export const actionArgs = {
  run: runArgs,
  read: readArgs,
  write: writeArgs,
  edit: editArgs,
  run_ipython: runIpythonArgs,
  browse: browseArgs,
  browse_interactive: browseInteractiveArgs,
  vscode: vscodeArgs,
};

export type ActionName = keyof typeof actionArgs;

export type Action = {
  [Name in ActionName]: {
    action: Name;
    args: z.infer<(typeof actionArgs)[Name]>;
    /** Seconds until the action must have answered; absent when the caller set none. */
    timeout?: number;
    /** Which of the sandbox's shells; a Fairlead extension, `main` when absent. */
    shell: string;
    /** Whether a window tells which problems an edit added and removed; a Fairlead extension. */
    diagnostics?: true;
  };
}[ActionName];

export type ActionOf<Name extends ActionName> = Extract<Action, { action: Name }>;

export const defaultShell = 'main';

export const shellName = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'use 1 to 64 letters, digits, "_" or "-"');

/** What travels beside `action` and `args`. Unknown keys are the client's own and are ignored. */
export const actionEnvelope = z.looseObject({
  action: z.string(),
  args: z.record(z.string(), z.unknown()).default({}),
  timeout: z.number().positive().max(86_400).nullish(),
  shell: shellName.default(defaultShell),
  // Of another type it is the client's own, too.
  diagnostics: z.boolean().catch(false).default(false),
});
