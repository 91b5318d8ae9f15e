import type { EditorState, SessionState } from '@fairlead/protocol';
import type { Page } from '../proxy/pages/page.ts';
import { editorMissingPage, editorStartingPage } from '../proxy/pages/waiting-pages.ts';
import type { Place } from '../proxy/places.ts';
import type { PassPurpose } from './place-passes.ts';

/** For those who have nothing to show for themselves, whether there is such a session or not. */
export function loginPage(place: Place): Page {
  return {
    status: 401,
    title: 'This page is private',
    lines: ['Open it from a terminal that has the key of its owner, or with a link that was shared with you'],
    command: openCommand(place),
  };
}

const lifeOfLinks = {
  ticket: 'It works once, and for 30 seconds; its owner gets a new one from a terminal',
  'editor-token': 'It works for ten minutes; open it anew from where it was shown, or from a terminal',
};

export function usedLinkPage(place: Place, purpose: Exclude<PassPurpose, 'cookie'>): Page {
  const told = { status: 401, title: 'This link does not work any more' };
  // To a guest, commands are of no use.
  if (purpose === 'share') {
    return {
      ...told,
      lines: ['It was shared for a while, which is over; ask who sent it to you for a new one'],
    };
  }
  return { ...told, lines: [lifeOfLinks[purpose]], command: openCommand(place) };
}

/** The same words whether it is somebody else's or nobody's. */
export const noSessionPage: Page = {
  status: 404,
  title: 'There is no such session',
  lines: ['It may have been removed; "fairlead session list" shows those you have'],
};

/** For those who may see the session. */
export function missingPage(detail: string): Page {
  return { status: 404, title: 'There is nothing here', lines: [detail] };
}

export function refusalPage(status: number, detail: string, retryAfterSeconds?: number): Page {
  return {
    status,
    title: status === 429 ? 'Too many requests' : 'This cannot be done',
    lines: [detail],
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  };
}

export const brokenPage: Page = {
  status: 500,
  title: 'The gateway failed',
  lines: ['Try again; what went wrong is in its log'],
};

const stateTitles: Record<Exclude<SessionState, 'running'>, string> = {
  starting: 'This session is starting',
  paused: 'This session is paused',
  stopped: 'This session is stopped',
  failed: 'This session has failed',
};

/** For a session that does not run. Its owner can let it run from here. */
export function statePage(
  state: SessionState,
  reason: string | null,
  { sessionId, resumePath }: { sessionId: string; resumePath: string | undefined },
): Page {
  if (state === 'starting' || state === 'running') {
    return { status: 503, title: stateTitles.starting, lines: ['This takes a moment'], retryAfterSeconds: 2 };
  }
  const why = reason === null ? [] : [reason];
  const whatToDo =
    resumePath === undefined ? 'Its owner can let it go on' : 'Let it go on here, or from a terminal';
  return {
    status: 503,
    title: stateTitles[state],
    lines: [...why, whatToDo],
    command: `fairlead session resume ${sessionId}`,
    ...(resumePath !== undefined && { button: { path: resumePath, label: 'Resume' } }),
  };
}

/** Undefined for an editor that can be visited. */
export function editorPage({ state, detail }: EditorState, progressPath: string): Page | undefined {
  switch (state) {
    case 'running':
      return undefined;
    case 'stopped':
    case 'starting':
      return editorStartingPage(progressPath);
    case 'missing':
      return editorMissingPage('fairlead editor install');
    case 'failed':
      return { status: 502, title: 'The editor could not be started', lines: detail.split('\n') };
  }
}

function openCommand(place: Place): string {
  const command = `fairlead open ${place.sessionId}`;
  switch (place.kind) {
    case 'editor':
      return command;
    case 'numbered-app':
      return `${command} --app ${place.number}`;
    case 'app':
      return `${command} --port ${place.port}`;
  }
}
