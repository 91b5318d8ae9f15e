import type Docker from 'dockerode';
import type { SandboxSpec } from '../driver.ts';
import { forShells, withoutSettings } from '../environment.ts';
import { inside, type SandboxBundle } from '../inside.ts';
import type { EditorSupply } from '../sandbox-editor.ts';
import { supervisorCommand } from '../supervisor.ts';

export const gatewayLabel = 'fairlead.gateway';
export const sessionLabel = 'fairlead.session';

export interface ContainerWish {
  spec: SandboxSpec;
  imageName: string;
  image: Docker.ImageInspectInfo;
  bundle: SandboxBundle;
  supply: EditorSupply;
  gatewayId: string;
}

/** Enough for builds and test suites, and far from what a machine can bear. */
const defaultPids = 4_096;
/** Docker's own 64 MB is too little for Chromium. */
const sharedMemoryBytes = 1_073_741_824;
const cpuPeriodUs = 100_000;

/** What root needs to install packages, and to end processes of other users; anybody else needs none. */
const rootCapabilities = ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'SETUID', 'SETGID', 'KILL'];

export function containerName(gatewayId: string, id: string): string {
  return `fairlead-${gatewayId}-${id}`;
}

export function containerOptions(wish: ContainerWish): Docker.ContainerCreateOptions {
  const { spec, imageName, image, bundle, supply, gatewayId } = wish;
  const { id, directories, limits } = spec;
  const uid = process.getuid!();
  const name = containerName(gatewayId, id);
  return {
    name,
    Image: imageName,
    Labels: { [gatewayLabel]: gatewayId, [sessionLabel]: id },
    Hostname: 'sandbox',
    // The files it makes in the workspace belong to whoever runs the gateway.
    User: `${uid}:${process.getgid!()}`,
    WorkingDir: inside.workspace,
    Env: [...environment(spec, image, uid), ...Object.entries(supply.env).map(nameWithValue)],
    Entrypoint: supervisorCommand({
      name,
      bundle,
      workspace: inside.workspace,
      run: inside.run,
    }),
    Cmd: [],
    HostConfig: {
      Mounts: [
        ...[...bundle.mounts, ...supply.mounts].map(({ source, target }) => bind(source, target, true)),
        bind(directories.workspace, inside.workspace, false),
        bind(directories.home, inside.home, false),
        bind(directories.run, inside.run, false),
      ],
      CapDrop: ['ALL'],
      CapAdd: uid === 0 ? rootCapabilities : [],
      SecurityOpt: ['no-new-privileges'],
      PidsLimit: limits.pids ?? defaultPids,
      ShmSize: sharedMemoryBytes,
      // Not more than there is: swap would only make it slow before it ends.
      ...(limits.memoryMb !== undefined && {
        Memory: bytes(limits.memoryMb),
        MemorySwap: bytes(limits.memoryMb),
      }),
      // Unlike NanoCpus this may be more than the machine has.
      ...(limits.cpus !== undefined && { CpuPeriod: cpuPeriodUs, CpuQuota: quota(limits.cpus) }),
      LogConfig: { Type: 'json-file', Config: { 'max-size': '1m' } },
    },
  };
}

/**
 * The image's own variables stand, but for what the sandbox server would take for its settings; and what Node or its
 * loader heed is for the shells alone.
 */
function environment({ env }: SandboxSpec, image: Docker.ImageInspectInfo, uid: number): string[] {
  const own = Object.fromEntries(image.Config.Env?.map(nameAndValue) ?? []);
  const kept = withoutSettings(own);
  const forShellsOnly = Object.entries(kept).filter(([name]) => /^(NODE_|LD_)/.test(name));
  const user = uid === 0 ? 'root' : 'agent';
  const variables = {
    USER: user,
    LOGNAME: user,
    SHELL: '/bin/bash',
    TERM: 'xterm-256color',
    ...(own.LANG === undefined && own.LC_ALL === undefined && { LANG: 'C.UTF-8' }),
    HOME: inside.home,
    ...forShells({ ...Object.fromEntries(forShellsOnly), ...env }),
  };
  // A name without a value takes the variable away.
  const withdrawn = [
    ...Object.keys(own).filter((name) => kept[name] === undefined),
    ...forShellsOnly.map(([name]) => name),
  ];
  return [...withdrawn, ...Object.entries(variables).map(nameWithValue)];
}

function nameWithValue([name, value]: [string, string]): string {
  return `${name}=${value}`;
}

function nameAndValue(entry: string): [string, string] {
  const at = entry.indexOf('=');
  return at === -1 ? [entry, ''] : [entry.slice(0, at), entry.slice(at + 1)];
}

function bind(source: string, target: string, isReadOnly: boolean): Docker.MountSettings {
  return { Type: 'bind', Source: source, Target: target, ReadOnly: isReadOnly };
}

function bytes(megabytes: number): number {
  return megabytes * 1_048_576;
}

/** The kernel takes no less than a millisecond. */
function quota(cpus: number): number {
  return Math.max(1_000, Math.round(cpus * cpuPeriodUs));
}
