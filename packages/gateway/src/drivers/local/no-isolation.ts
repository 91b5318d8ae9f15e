import { readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import type { SandboxSpec } from '../driver.ts';
import { sandboxEnvironment } from '../environment.ts';
import type { SandboxBundle, SandboxEditor } from '../inside.ts';
import { editorSupply } from '../sandbox-editor.ts';
import { supervisorCommand } from '../supervisor.ts';
import type { Isolation } from './isolation.ts';
import { allPids, factsOf, isOwn, type ProcessFacts } from './process-table.ts';

/** In every process of the sandbox; not one of the names that the sandbox server keeps from its shells. */
const tagVariable = '_FAIRLEAD_SANDBOX';

/**
 * The sandbox server right on the machine, with all that the gateway's user may do. Paths differ from those in a real
 * sandbox: workspace, home and run directory are where they are, not at the places of `inside`.
 */
export function noIsolation(bundle: SandboxBundle, editor: SandboxEditor | undefined): Isolation {
  return {
    diagnose: () =>
      Promise.resolve({ ok: true, detail: 'without isolation: sessions can do all that the gateway can' }),
    prepare: (spec, name, temporary) => Promise.resolve(prepare(spec, name, temporary)),
    membersOf: (_sandbox, name) => tagged(name),
  };

  function prepare({ directories, env }: SandboxSpec, name: string, temporary: string) {
    const { workspace, home, run } = directories;
    const command = bundle.command.map(onThisMachine);
    return {
      argv: supervisorCommand({ name, bundle: { ...bundle, command }, workspace, run }),
      env: {
        ...sandboxEnvironment({ home, user: userInfo().username, temporary, env }),
        ...editorSupply(editor, 'machine').env,
        [tagVariable]: name,
      },
    };
  }

  function onThisMachine(word: string): string {
    const mount = bundle.mounts.find(({ target }) => word === target || word.startsWith(`${target}/`));
    return mount === undefined ? word : mount.source + word.slice(mount.target.length);
  }
}

function tagged(name: string): ProcessFacts[] {
  const entry = Buffer.from(`${tagVariable}=${name}\0`);
  return (
    allPids()
      .filter((pid) => isOwn(pid) && hasEntry(pid, entry))
      .flatMap((pid) => factsOf(pid) ?? [])
      // Parents are older than their children.
      .toSorted((one, other) => Number(one.startTime) - Number(other.startTime) || one.pid - other.pid)
  );
}

function hasEntry(pid: number, entry: Buffer): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`).includes(entry);
  } catch {
    return false;
  }
}
