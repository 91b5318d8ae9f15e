import type Docker from 'dockerode';
import type { Diagnosis } from '../driver.ts';
import { engineText, whyUnreachable } from './engine-failure.ts';

interface EngineInfo {
  ServerVersion: string;
  OSType: string;
  Architecture: string;
  SecurityOptions: string[] | null;
}

export async function diagnoseEngine(docker: Docker, socketPath: string): Promise<Diagnosis> {
  try {
    const { ServerVersion, OSType, Architecture, SecurityOptions } = (await docker.info()) as EngineInfo;
    const detail = `Docker ${ServerVersion} (${OSType}, ${Architecture}) at ${socketPath}`;
    const isMapping = SecurityOptions?.some((option) => /^name=(rootless|userns)/.test(option));
    if (!isMapping) return { ok: true, detail };
    return {
      ok: false,
      detail: `${detail} maps users, so that sandboxes could not write to their directories`,
      remedy: 'Use an engine that runs as root and without userns-remap',
    };
  } catch (error) {
    const unreachable = whyUnreachable(error, socketPath) ?? {
      detail: `The Docker engine at ${socketPath} refused: ${engineText(error)}`,
      remedy: 'See what it says: sudo journalctl -u docker',
    };
    return { ok: false, ...unreachable };
  }
}
