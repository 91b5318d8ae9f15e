import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nodeFlags } from '../../packages/cli/bin/node-flags.mjs';
import { GatewayServer } from './gateway-server.ts';
import { NodeProcess } from './node-process.ts';
import { makePlace, type Place } from './sandbox-server.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const bareProxy = fileURLToPath(new URL('../processes/bare-proxy.ts', import.meta.url));
const app = fileURLToPath(new URL('../processes/proxied-app.ts', import.meta.url));

/** In a sandbox that has this repository as its workspace. */
const startApp =
  `node_modules/.bin/node --no-warnings ${relative(root, app)} $APP_PORT_1 >~/app.log 2>&1 & ` +
  'until (: </dev/tcp/127.0.0.1/$APP_PORT_1) 2>/dev/null; do sleep 0.1; done';

/** An app of a real session, the gateway before it, and what else may stand there. */
export class ProxiedApp {
  readonly gateway: GatewayServer;
  /** For whatever else is started. */
  readonly place: Place;
  /** Where the app itself is reached. */
  readonly port: number;
  /** The app's root as the gateway has it, with a slash at its end. */
  readonly path: string;
  /** That let a browser in. */
  readonly headers: { cookie: string };
  readonly #processes: NodeProcess[] = [];

  private constructor(gateway: GatewayServer, { port, url }: { port: number; url: string }, cookie: string) {
    this.gateway = gateway;
    this.place = makePlace();
    this.port = port;
    this.path = new URL(url).pathname;
    this.headers = { cookie };
  }

  static async start(): Promise<ProxiedApp> {
    const gateway = await GatewayServer.start({ warmSize: 0 });
    try {
      const { id, apps } = await gateway.create({ workspace: { kind: 'folder', path: root } });
      await gateway.run(id, startApp);
      const cookie = await exchange(await gateway.link(id, { place: 'app', number: 1 }));
      return new ProxiedApp(gateway, apps[0]!, cookie);
    } catch (error) {
      await gateway.close();
      throw error;
    }
  }

  /** Answers with its port. */
  async startBareProxy(): Promise<number> {
    const args = [...nodeFlags, bareProxy, String(this.port)];
    const process = new NodeProcess(args, this.place.environment);
    this.#processes.push(process);
    return Number(await process.says(/port (\d+) /));
  }

  async close(): Promise<void> {
    await Promise.all(this.#processes.map((process) => process.stop()));
    this.place.remove();
    await this.gateway.close();
  }
}

/** What a browser gets for the ticket in a link. */
async function exchange(link: string): Promise<string> {
  const [answer] = (await once(get(link), 'response')) as [IncomingMessage];
  answer.resume();
  const cookie = answer.headers['set-cookie']?.[0]?.split(';')[0];
  if (cookie === undefined) throw new Error(`Status ${answer.statusCode} and no cookie for the ticket`);
  return cookie;
}
