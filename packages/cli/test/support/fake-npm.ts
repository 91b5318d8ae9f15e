import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A folder for PATH with all that the editor's installation calls, of which none needs a network or a minute. */
export function addFakeNpm(directory: string): void {
  mkdirSync(directory);
  for (const tool of ['g++', 'make', 'python3', 'pkg-config']) addProgram(directory, tool, 'exit 0');
  addProgram(directory, 'npm', fakeNpm);
}

export function addProgram(directory: string, name: string, body: string): void {
  writeFileSync(join(directory, name), `#!/bin/sh\n${body}\n`, { mode: 0o755 });
}

/** Packages of its own, just enough of each to be started. A file `fail` or `hang` beside the editors makes it do that. */
const fakeNpm = `
[ "$1" = --version ] && exit 0
case "$*" in
*code-server@*)
  node=node_modules/node-linux-${process.arch}
  mkdir -p $node/bin $node/include node_modules/code-server/out/node node_modules/code-server/lib/vscode/extensions
  cp "${process.execPath}" $node/bin/node
  echo 'console.log("code-server", process.argv[2], process.execPath)' >node_modules/code-server/out/node/entry.js
  echo '{}' >node_modules/code-server/lib/vscode/package.json ;;
*--omit=dev*)
  [ -e ../../../../../fail ] && { echo 'npm warn noise'; echo 'gyp ERR! no compiler today' >&2; exit 7; }
  [ -e ../../../../../hang ] && { sleep 1000 & echo $! >../../../../../hanging; wait; }
  for name in @vscode/native-watchdog @vscode/spdlog @vscode/sqlite3 node-pty; do
    mkdir -p node_modules/$name/build/Release/obj.target node_modules/$name/prebuilds/other-system
    echo 1 >node_modules/$name/build/Release/obj.target/part.o
    echo 1 >node_modules/$name/index.js.map
    echo 'exports.loaded = true' >node_modules/$name/index.js
  done ;;
esac
exit 0`;
