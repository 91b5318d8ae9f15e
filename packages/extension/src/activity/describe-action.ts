import type { Action, ActionOf, Observation } from '@fairlead/protocol';

/** One line for lists. */
export function actionLabel(action: Action, shownPath: (path: string) => string): string {
  return `${action.action} ${firstLine(actionSubject(action, shownPath))}`.trim();
}

/** What an action is about, without the contents that it carries: those may be large and private. */
export function actionSubject(action: Action, shownPath = (path: string) => path): string {
  switch (action.action) {
    case 'run':
      return action.args.command;
    case 'read':
    case 'write':
      return shownPath(action.args.path);
    case 'edit':
      return `${action.args.command} ${shownPath(action.args.path)}`.trim();
    case 'run_ipython':
      return action.args.code;
    case 'browse':
      return action.args.url;
    case 'browse_interactive':
      return action.args.browser_actions;
    case 'vscode':
      return requestSubject(action.args);
  }
}

/** A command or a file that it names is what it is about; all else it carries is contents. */
function requestSubject({ type, params }: ActionOf<'vscode'>['args']): string {
  const named = params['command'] ?? params['path'];
  return typeof named === 'string' ? `${type} ${named}` : type;
}

export function hasFailed(observation: Observation): boolean {
  switch (observation.observation) {
    case 'error':
      return true;
    case 'run':
      return observation.extras.metadata.exit_code > 0;
    case 'edit':
      return observation.content.startsWith('ERROR:');
    case 'read':
    case 'write':
    case 'vscode':
      return false;
  }
}

export function firstLine(text: string): string {
  const [line = '', ...more] = text.trim().split('\n');
  return more.length > 0 || line.length > 200 ? `${line.slice(0, 200)}…` : line;
}
