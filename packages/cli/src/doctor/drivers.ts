import type { Diagnosis } from '@fairlead/gateway';
import { withTemporaryDirectory } from '../copy/temporary-directory.ts';
import type { Finding } from './finding.ts';

export interface DriverFindings {
  findings: Finding[];
  /** At least one driver can make sandboxes. */
  isAnyUsable: boolean;
}

/** Asks the drivers themselves, as a gateway does. */
export async function findDrivers(dockerSocket: string | undefined): Promise<DriverFindings> {
  const [{ openDockerDriver, openLocalDriver }, { prepareSandboxBundle }] = await Promise.all([
    import('@fairlead/gateway'),
    import('@fairlead/sandbox/bundle'),
  ]);
  const bundle = await prepareSandboxBundle().catch((error: Error) => error);
  if (bundle instanceof Error) {
    const remedy = 'run "npm ci" in the checkout, and look for free disk space';
    return {
      findings: [
        {
          name: 'sandbox bundle',
          status: 'missing',
          detail: bundle.message,
          enables: 'all sessions',
          remedy,
        },
      ],
      isAnyUsable: false,
    };
  }
  return withTemporaryDirectory(async (stateDir) => {
    const local = openLocalDriver({ stateDir, bundle, isolation: 'bubblewrap' });
    const docker = openDockerDriver({
      bundle,
      gatewayId: 'doctor',
      defaultImage: 'debian:bookworm',
      ...(dockerSocket !== undefined && { dockerSocket }),
    });
    try {
      const diagnoses = await Promise.all([local.diagnose(), docker.diagnose()]);
      const [localDiagnosis, dockerDiagnosis] = diagnoses;
      return {
        findings: [
          toFinding('local driver', localDiagnosis, 'sessions in sandboxes of this machine (the default)'),
          toFinding('docker driver', dockerDiagnosis, 'session create --driver docker --image NAME'),
        ],
        isAnyUsable: diagnoses.some(({ ok }) => ok),
      };
    } finally {
      await Promise.all([local.close(), docker.close()]);
    }
  });
}

function toFinding(name: string, diagnosis: Diagnosis, enables: string): Finding {
  if (diagnosis.ok) return { name, status: 'ok', detail: diagnosis.detail };
  return { name, status: 'limited', detail: diagnosis.detail, enables, remedy: diagnosis.remedy };
}
