import { DriverError, type Diagnosis, type SandboxSpec } from '../driver.ts';
import { sandboxEnvironment, standardPath } from '../environment.ts';
import { inside, type SandboxBundle, type SandboxEditor } from '../inside.ts';
import { editorSupply } from '../sandbox-editor.ts';
import { supervisorCommand } from '../supervisor.ts';
import { sessionArguments, systemArguments } from './bwrap-command.ts';
import type { Isolation, Launch } from './isolation.ts';
import { PassedFiles } from './passed-files.ts';
import { type Probe, probeBwrap } from './probe-bwrap.ts';
import { familyOf } from './process-table.ts';

/** `directory` is for files of its own. */
export function bubblewrap(
  bundle: SandboxBundle,
  directory: string,
  editor: SandboxEditor | undefined,
): Isolation {
  let working: Extract<Probe, { ok: true }> | undefined;

  return {
    diagnose,
    prepare,
    membersOf: (sandbox) => (sandbox?.first === undefined ? [] : familyOf(sandbox.first.pid)),
  };

  async function diagnose(): Promise<Diagnosis> {
    const probe = await probeBwrap(directory);
    return probe.ok ? { ok: true, detail: probe.detail } : probe;
  }

  async function prepare(spec: SandboxSpec, name: string, temporary: string): Promise<Launch> {
    working ??= await probeOrFail();
    const { account } = working;
    const supply = editorSupply(editor, 'programs');
    const env = {
      ...sandboxEnvironment({ home: inside.home, user: account.user, temporary: '/tmp', env: spec.env }),
      ...supply.env,
    };
    const { workspace, run } = inside;
    const passed = new PassedFiles(directory);
    return {
      argv: [
        'bwrap',
        // The session's variables may be secret, so they are in no list of processes; and bwrap itself, which is
        // outside, must not have them: one could make it load a library.
        '--args',
        String(passed.make(environmentArguments(env))),
        ...systemArguments(account, passed),
        ...sessionArguments({
          directories: spec.directories,
          temporary,
          mounts: [...bundle.mounts, ...supply.mounts],
        }),
        ...supervisorCommand({ name, bundle, workspace, run }),
      ],
      env: { PATH: standardPath },
      passed,
    };
  }

  async function probeOrFail(): Promise<Extract<Probe, { ok: true }>> {
    const probe = await probeBwrap(directory);
    if (!probe.ok) throw new DriverError(`${probe.detail}; ${probe.remedy}`);
    return probe;
  }
}

function environmentArguments(env: Record<string, string>): string {
  return Object.entries(env)
    .map(([name, value]) => `--setenv\0${name}\0${value}\0`)
    .join('');
}
