export type { ActionContext, Executor, ExecutorOptions } from './executor.ts';
export { endSession } from './end-session.ts';
export * from './files/index.ts';
export { openExecutor } from './open-executor.ts';
export { ProcessScope } from './processes/process-scope.ts';
export type { ShellUser } from './shell/launch.ts';
export type { ShellSession } from './shell/shell-session.ts';
export type { ShellOutput, Shells } from './shell/shells.ts';
