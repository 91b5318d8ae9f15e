import type { Page } from './page.ts';

/** For an app that is not up yet. */
export function appWaitingPage({ port, variable }: { port: number; variable?: string }): Page {
  const where = variable === undefined ? `port ${port}` : `port ${port} ($${variable})`;
  return {
    status: 503,
    title: `Nothing listens on port ${port} yet`,
    lines: [`Start an app in this session on ${where}; this page shows it as soon as it answers`],
    retryAfterSeconds: 2,
  };
}

/** While the editor of a session starts. */
export function editorStartingPage(progressPath: string): Page {
  return {
    status: 503,
    title: 'Starting the editor',
    lines: ['This takes a few seconds on the first visit'],
    retryAfterSeconds: 2,
    progressPath,
  };
}

/** Where no editor is installed. */
export function editorMissingPage(command: string): Page {
  return {
    status: 503,
    title: 'No editor is installed',
    lines: ['Install one on the machine of the gateway, and load this page again'],
    command,
  };
}
