import { facts } from './table.ts';

export interface Started {
  url: string;
  keyFile: string;
  isFirstStart: boolean;
  stateDir: string;
}

/** What a newcomer sees first, and can paste next. The key itself is never shown. */
export function whatToTry({ url, keyFile, isFirstStart, stateDir }: Started): string {
  const lines = facts([
    ['Fairlead gateway:', url],
    ['State directory:', stateDir],
    ['API key:', `${keyFile}${isFirstStart ? ' (made just now; only you can read it)' : ''}`],
  ]);
  return `
${lines}

Try, in another terminal:

  npx fairlead session create --label name=demo
  npx fairlead run demo -- 'echo "hello from $PWD"'
  npx fairlead attach demo

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
