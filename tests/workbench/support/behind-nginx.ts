import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nginxConfiguration } from '../../../packages/cli/src/nginx/nginx-configuration.ts';
import { freePort } from '../../support/free-port.ts';
import { startNginx } from '../../support/nginx.ts';
import type { FrontKind } from './front.ts';

/** A browser that finds the gateway behind nginx, with what `fairlead nginx` prints. */
export function behindNginx(name: string): FrontKind {
  return {
    name,
    tags: ['nginx'],
    chromiumArgs: [],
    open: async (gatewayPort) => {
      const publicUrl = `http://127.0.0.1:${await freePort()}`;
      const nginx = await startNginx(
        nginxConfiguration({ ...settings(gatewayPort), publicUrl: new URL(publicUrl), domain: undefined }),
      );
      return { options: { publicUrl }, url: publicUrl, close: () => nginx.stop() };
    },
  };
}

/** The same with TLS, and a host of its own for each place: names that no server but nginx knows. */
export function behindNginxWithHosts(name: string): FrontKind {
  const domain = 'fairlead.test';
  return {
    name,
    tags: ['nginx', 'openssl'],
    chromiumArgs: [
      `--host-resolver-rules=MAP ${domain} 127.0.0.1, MAP *.${domain} 127.0.0.1`,
      '--ignore-certificate-errors',
    ],
    open: async (gatewayPort) => {
      const publicUrl = `https://${domain}:${await freePort()}`;
      const directory = mkdtempSync(join(tmpdir(), 'fairlead-tls-'));
      const certificate = join(directory, 'certificate.pem');
      const certificateKey = join(directory, 'key.pem');
      makeCertificate(domain, certificate, certificateKey);
      const nginx = await startNginx(
        nginxConfiguration({
          ...settings(gatewayPort),
          publicUrl: new URL(publicUrl),
          domain,
          certificate,
          certificateKey,
        }),
      );
      return {
        options: { publicUrl, domain },
        url: publicUrl,
        close: async () => {
          await nginx.stop();
          rmSync(directory, { recursive: true });
        },
      };
    },
  };
}

function settings(gatewayPort: number) {
  return { upstream: `127.0.0.1:${gatewayPort}`, basePath: '', certificate: '', certificateKey: '' };
}

/** Of nobody: browsers are told to take it. */
function makeCertificate(domain: string, certificate: string, key: string): void {
  const names = `subjectAltName=DNS:${domain},DNS:*.${domain}`;
  const options = ['-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', `/CN=${domain}`, '-addext', names];
  execFileSync('openssl', ['req', '-x509', ...options, '-keyout', key, '-out', certificate], {
    stdio: 'pipe',
  });
}
