import { lstatSync, readdirSync, readFileSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { PassedFiles } from './passed-files.ts';

/** What the sandbox takes itself for. */
export const hostName = 'sandbox';

/**
 * What of the machine's own system a sandbox sees, read-only, as arguments of bwrap. Everything that is not named here
 * is not there: a gateway that runs as root would otherwise show every file that root may read.
 */
export function systemMounts(passed: PassedFiles): string[] {
  return [
    '--ro-bind',
    '/usr',
    '/usr',
    ...rootDirectories(),
    ...configuration(passed),
    '--file',
    String(passed.make(`${readFileSync('/etc/hosts', 'utf8')}\n127.0.0.1 ${hostName}\n`)),
    '/etc/hosts',
  ];
}

/** Links into /usr on most machines, directories on older ones. */
function rootDirectories(): string[] {
  return readdirSync('/')
    .filter((name) => /^(bin|sbin|lib\w*)$/.test(name))
    .map((name) => `/${name}`)
    .flatMap((path) =>
      lstatSync(path).isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path],
    );
}

/** passwd, group and hosts are made by the driver; machine-wide settings that may hold credentials stay outside. */
const allowed = [
  'alternatives',
  'bash.bashrc',
  'ca-certificates',
  'ca-certificates.conf',
  'debian_version',
  'fonts',
  'gai.conf',
  'host.conf',
  'inputrc',
  'java-*-openjdk',
  'ld.so.cache',
  'ld.so.conf',
  'ld.so.conf.d',
  'locale.alias',
  'localtime',
  'login.defs',
  'magic',
  'mime.types',
  'networks',
  'nsswitch.conf',
  'os-release',
  'perl',
  'pki/ca-trust/extracted',
  'pki/tls/certs',
  'pki/tls/cert.pem',
  'profile',
  'profile.d',
  'protocols',
  'python*',
  'resolv.conf',
  'rpc',
  'services',
  'shells',
  'skel',
  'ssl/cert.pem',
  'ssl/certs',
  'ssl/openssl.cnf',
  'terminfo',
  'timezone',
  'vim',
];

function configuration(passed: PassedFiles): string[] {
  const names = readdirSync('/etc');
  return allowed
    .flatMap((pattern) => {
      if (!pattern.includes('*')) return [pattern];
      const [start = '', end = ''] = pattern.split('*');
      return names.filter((name) => name.startsWith(start) && name.endsWith(end));
    })
    .flatMap((name) => show(join('/etc', name), passed));
}

/**
 * A link that leads out of /usr is shown as what it points at, which is a place that the sandbox may not have. Files are
 * copied: bwrap takes longer for each mount the more there are.
 */
function show(path: string, passed: PassedFiles): string[] {
  try {
    const source = realpathSync(path);
    const stats = statSync(source);
    if (source !== path && source.startsWith('/usr/')) return ['--symlink', source, path];
    if (stats.isDirectory()) return ['--ro-bind', source, path];
    return stats.isFile() ? ['--file', String(passed.open(source)), path] : [];
  } catch {
    return [];
  }
}
