import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { prepareSandboxBundle } from '@fairlead/sandbox/bundle';

/** A small web server that tells where it runs. Its arguments: the port, and the address to listen on. */
const program = `
const [port, host] = process.argv.slice(2);
const server = require('node:http').createServer((request, response) => response.end(process.cwd() + request.url));
server.listen({ port: Number(port), host, ipv6Only: host !== '::' }, () => console.log(server.address().port));
`;

/**
 * Puts the app into a workspace, and answers with the command that starts it there in the background and prints its
 * port; with the Node of the sandbox server, because a sandbox need not have one of its own.
 */
export async function placeApp(workspace: string): Promise<(port: string, host?: string) => string> {
  const { command } = await prepareSandboxBundle();
  const node = command.slice(0, command.findIndex((word) => word.endsWith('/bin/node')) + 1);
  writeFileSync(join(workspace, 'app.cjs'), program);
  return (port, host = '127.0.0.1') => {
    const told = `told-${Math.random().toString(36).slice(2)}`;
    const start = `${node.join(' ')} app.cjs ${port} ${host} >${told} 2>&1 & echo $! >app.pid`;
    return `(${start}); until [[ -s ${told} ]]; do sleep 0.02; done; cat ${told}; rm ${told}`;
  };
}

/** Ends the one that was started last. */
export const endApp = 'kill $(<app.pid); while kill -0 $(<app.pid) 2>/dev/null; do sleep 0.02; done';
