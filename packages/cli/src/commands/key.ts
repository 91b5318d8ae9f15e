import type { Command } from 'commander';
import type { OwnerRecord, Store } from '@fairlead/gateway';
import type { Cli, GlobalOptions } from '../cli.ts';
import { CliError } from '../cli-error.ts';
import { stateDirOf } from '../connect.ts';
import { exitCodes } from '../exit-codes.ts';
import { Output } from '../output.ts';
import { table } from '../table.ts';

interface CreateOptions extends GlobalOptions {
  owner: string;
  label: string;
  operator?: boolean;
}

export function addKey(program: Command, cli: Cli): void {
  const key = program
    .command('key')
    .description('API keys of this machine’s gateway, whether it runs or not');
  key
    .command('create')
    .description('Make a key; it is shown this once')
    .requiredOption('--owner <name>', 'whose it is; made when there is none of that name')
    .option('--label <text>', 'what it is for', '')
    .option('--operator', 'a new owner may mount every folder of this machine')
    .action((_options, command: Command) => create(cli, command.optsWithGlobals<CreateOptions>()));
  key
    .command('list')
    .alias('ls')
    .description('All keys, without their secrets')
    .action((_options, command: Command) => list(cli, command.optsWithGlobals<GlobalOptions>()));
  key
    .command('revoke')
    .description('Let a key open nothing any more')
    .argument('<id>', 'as "fairlead key list" shows it')
    .action((id: string, _options, command: Command) =>
      revoke(cli, id, command.optsWithGlobals<GlobalOptions>()),
    );
}

function create(cli: Cli, options: CreateOptions): Promise<void> {
  return withStore(cli, options, async (store, output) => {
    const { createApiKey } = await import('@fairlead/gateway');
    const owner = await ownerOf(store, options);
    const { text, record } = await createApiKey(store, owner, options.label);
    const { id, label, createdAt } = record;
    output.value({ id, owner: owner.name, role: owner.role, label, createdAt, key: text }, () => text);
    output.note(
      `Key ${id} of ${owner.name}. It is shown this once: keep it, for example as FAIRLEAD_API_KEY.`,
    );
  });
}

function list(cli: Cli, options: GlobalOptions): Promise<void> {
  return withStore(cli, options, async (store, output) => {
    const owners = new Map((await store.owners.list()).map((owner) => [owner.id, owner]));
    const keys = (await store.keys.list()).map(({ id, ownerId, label, createdAt, revokedAt }) => {
      const { name = '', role = 'tenant' } = owners.get(ownerId) ?? {};
      return { id, owner: name, role, label, createdAt, revokedAt };
    });
    output.value(keys, () => {
      const rows = keys.map((key) => [
        key.id,
        key.owner,
        key.role,
        key.createdAt,
        key.revokedAt ?? '',
        key.label,
      ]);
      const titles = ['ID', 'OWNER', 'ROLE', 'CREATED', 'REVOKED', 'LABEL'];
      return table(
        titles.map((title) => output.style('dim', title)),
        rows,
      );
    });
  });
}

function revoke(cli: Cli, id: string, options: GlobalOptions): Promise<void> {
  return withStore(cli, options, async (store, output) => {
    // Who pastes a whole key means its id.
    const keyId = /^f[lw]_([a-z0-9]{12})_/.exec(id)?.[1] ?? id;
    const revokedAt = new Date().toISOString();
    if (!(await store.keys.revoke(keyId, revokedAt))) {
      const message = `There is no valid key ${keyId}; "fairlead key list" shows them.`;
      throw new CliError(message, 'not-found', exitCodes.refused);
    }
    output.value({ id: keyId, revokedAt }, () => `${keyId} revoked`);
  });
}

async function ownerOf(store: Store, { owner: name, operator }: CreateOptions): Promise<OwnerRecord> {
  const role = operator ? 'operator' : 'tenant';
  const known = await store.owners.findByName(name);
  if (known?.role === 'tenant' && operator) {
    throw new CliError(
      `"${name}" exists and is not an operator; choose another name, or leave --operator out.`,
    );
  }
  if (known !== undefined) return known;
  const { newOwner } = await import('@fairlead/gateway');
  const owner = newOwner(name, role);
  if (await store.owners.add(owner)) return owner;
  throw new CliError(`An owner "${name}" was made at the same time; try again.`);
}

async function withStore(
  cli: Cli,
  options: GlobalOptions,
  use: (store: Store, output: Output) => Promise<void>,
): Promise<void> {
  const { openStateStore } = await import('@fairlead/gateway');
  const store = openStateStore(stateDirOf(cli, options));
  try {
    await use(store, new Output(cli, options));
  } finally {
    store.close();
  }
}
