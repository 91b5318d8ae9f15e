// An editor server without an editor: takes the arguments of the real ones, and leaves word of itself in its folder.
import { spawn } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';

const args = process.argv.slice(2);
const value = (...names) =>
  args.find((arg) => names.some((name) => arg.startsWith(`${name}=`)))?.replace(/^[^=]*=/, '');
const socket = value('--socket', '--socket-path');
const notes = process.cwd();

const helper = spawn('sleep', ['1000'], { detached: true, stdio: 'ignore' });
writeFileSync(
  join(notes, 'editor.json'),
  JSON.stringify({ pid: process.pid, helper: helper.pid, uid: process.getuid(), args, env: process.env }),
);
console.log('the editor is coming up');

if (existsSync(join(notes, 'chatty')))
  for (let line = 0; line < 20_000; line += 1) console.log('x'.repeat(100));
if (existsSync(join(notes, 'broken'))) {
  console.error('there is no room for an editor');
  process.exit(3);
}

rmSync(socket, { force: true });
createServer((request, response) => {
  if (existsSync(join(notes, 'mute'))) return;
  response.end(request.url === '/version' ? 'abc123' : 'hello');
}).listen(socket);
