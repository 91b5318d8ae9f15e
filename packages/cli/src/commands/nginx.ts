import type { Command } from 'commander';
import type { Cli, GlobalOptions } from '../cli.ts';
import { usageError } from '../cli-error.ts';
import { stateDirOf } from '../connect.ts';
import { nginxConfiguration, type NginxSettings } from '../nginx/nginx-configuration.ts';
import { Output } from '../output.ts';
import { readRunning } from '../running-gateway.ts';
import { parsePort } from '../units.ts';

interface NginxOptions extends GlobalOptions {
  host?: string;
  port?: number;
  publicUrl?: string;
  basePath?: string;
  domain?: string;
  certificate: string;
  certificateKey: string;
}

const exampleUrl = 'http://fairlead.example.com';

export function addNginx(program: Command, cli: Cli): void {
  program
    .command('nginx')
    .description(
      'Print the nginx configuration for the gateway that runs here, or for these options of "serve"',
    )
    .option('--host <address>', 'where the gateway listens (default: 127.0.0.1)')
    .option('--port <number>', 'where the gateway listens (default: 3000)', parsePort)
    .option('--public-url <url>', 'where clients reach it, with https:// for TLS')
    .option('--base-path <path>', 'what everything stands below')
    .option('--domain <name>', 'below which every editor and app has a host of its own')
    .option('--certificate <file>', 'for TLS', '/etc/ssl/certs/fairlead.pem')
    .option('--certificate-key <file>', 'for TLS', '/etc/ssl/private/fairlead.key')
    .action(async (_options, command: Command) => {
      await nginx(cli, command.optsWithGlobals<NginxOptions>());
    });
}

async function nginx(cli: Cli, options: NginxOptions): Promise<void> {
  const output = new Output(cli, options);
  const running = readRunning(stateDirOf(cli, options));
  const { publicUrl = running?.publicUrl ?? undefined, domain = running?.domain ?? undefined } = options;
  const listening = running === undefined ? undefined : new URL(running.url);
  const host = options.host ?? listening?.hostname ?? '127.0.0.1';
  const port = options.port ?? Number(listening?.port || 3000);
  // A public URL has its path in it.
  const pathSoFar = options.publicUrl === undefined ? listening?.pathname : undefined;
  const basePath = options.basePath ?? pathSoFar;
  const urls = await checked({ host, publicUrl: publicUrl ?? exampleUrl, basePath, domain });
  const configuration = nginxConfiguration({
    ...urls,
    upstream: `${reachable(host)}:${port}`,
    certificate: filePath(options.certificate),
    certificateKey: filePath(options.certificateKey),
  });
  output.value({ configuration }, () => configuration.trimEnd());
  if (publicUrl !== undefined) return;
  output.note(`The gateway has no public address, so this has ${exampleUrl}; --public-url URL changes it.`);
}

type Urls = Pick<NginxSettings, 'publicUrl' | 'basePath' | 'domain'>;

/** As the gateway itself does it. */
async function checked(options: {
  host: string;
  publicUrl: string;
  basePath: string | undefined;
  domain: string | undefined;
}): Promise<Urls> {
  const { PlaceUrls } = await import('@fairlead/gateway');
  if (!/^https?:\/\//.test(options.publicUrl) || !URL.canParse(options.publicUrl)) {
    throw usageError(`"${options.publicUrl}" is not an address; use one like ${exampleUrl}.`);
  }
  try {
    const { publicUrl, basePath, domain } = new PlaceUrls(options);
    return { publicUrl: new URL(publicUrl ?? exampleUrl), basePath, domain };
  } catch (error) {
    throw usageError(`${(error as Error).message}.`);
  }
}

/** From this machine, where nginx is. */
function reachable(host: string): string {
  const address = host.replaceAll(/[[\]]/g, '');
  if (!/^[\w.:-]+$/.test(address)) throw usageError(`"${host}" is not an address to listen on.`);
  if (address === '0.0.0.0') return '127.0.0.1';
  if (address === '::') return '[::1]';
  return address.includes(':') ? `[${address}]` : address;
}

/** What nginx would read as something else than a path is refused. */
function filePath(path: string): string {
  if (/^\/[\w./@+-]+$/.test(path)) return path;
  throw usageError(
    `"${path}" cannot stand in nginx's configuration; use an absolute path of letters, digits, ". _ - @ +".`,
  );
}
