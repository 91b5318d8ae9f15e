import { facts } from './table.ts';

export interface Started {
  url: string;
  keyFile: string;
  isFirstStart: boolean;
  stateDir: string;
  /** Other commands find it by themselves. */
  isUsualStateDir: boolean;
  /** Sessions can have a web VS Code. */
  hasEditor: boolean;
}

/** What a newcomer sees first, and can paste next. The key itself is never shown. */
export function whatToTry(started: Started): string {
  const { url, keyFile, isFirstStart, stateDir, isUsualStateDir, hasEditor } = started;
  const command = isUsualStateDir ? 'npx fairlead' : `npx fairlead --state-dir ${shellPath(stateDir)}`;
  const lines = facts([
    ['Fairlead gateway:', url],
    ['State directory:', stateDir],
    ['API key:', `${keyFile}${isFirstStart ? ' (made just now; only you can read it)' : ''}`],
  ]);
  const editor = hasEditor
    ? 'open demo      # VS Code in your browser'
    : 'editor install # VS Code in your browser';
  return `
${lines}

Try, in another terminal:

  ${command} session create --label name=demo
  ${command} run demo -- 'echo "hello from $PWD"'
  ${command} attach demo
  ${command} ${editor}
  ${command} window pair    # let an agent into your own VS Code

With OpenHands, and no code of ours in it:

  export RUNTIME=remote SANDBOX_REMOTE_RUNTIME_API_URL=${url} \\
    SANDBOX_API_KEY="$(cat ${shellPath(keyFile)})" SANDBOX_RUNTIME_CONTAINER_IMAGE=any

Is something missing here? npx fairlead doctor
Stop with Ctrl-C; sessions go on and are found again at the next start.
`;
}

function shellPath(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
}
