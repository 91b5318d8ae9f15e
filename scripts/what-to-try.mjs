import { homedir } from 'node:os';

/** What a newcomer can paste next. The key itself is never shown. */
export function whatToTry({ port, workspace, keyFile }) {
  const url = `http://127.0.0.1:${port}`;
  const key = keyFile === undefined ? '$SESSION_API_KEY' : `$(cat ${shellPath(keyFile)})`;
  const post = (route, body) =>
    `  curl -sw '\\n' ${url}${route} -H "X-Session-API-Key: ${key}" \\\n    -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`;
  const act = (action, args) => post('/execute_action', { action: { action, args } });
  return `
Fairlead sandbox server: ${url}
Workspace:               ${workspace}
${keyFile === undefined ? 'Session key:             from SESSION_API_KEY' : `Session key:             ${keyFile}`}

Try, in another terminal (one shell serves them all, so state stays):

${act('run', { command: 'export NAME=Fairlead; echo "hello from $PWD"' })}

${act('run', { command: 'echo "still here, $NAME"' })}

${act('write', { path: 'notes.txt', content: 'written by an agent' })}

${post('/list_files', {})}

Documentation: README.md, docs/api.md, docs/architecture.md
Stop with Ctrl-C.

`;
}

function shellPath(path) {
  const home = homedir();
  if (/^[\w./-]+$/.test(path)) return path.startsWith(`${home}/`) ? path.replace(home, '~') : path;
  return `'${path.replaceAll("'", `'\\''`)}'`;
}
