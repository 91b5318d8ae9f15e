import type { Command } from 'commander';
import type { Cli } from '../../cli.ts';
import { addChanges } from './change.ts';
import { addCreate } from './create.ts';
import { addExport } from './export.ts';
import { addList } from './list.ts';
import { addReplay } from './replay.ts';
import { addShow } from './show.ts';

export function addSession(program: Command, cli: Cli): void {
  const session = program.command('session').description('Create sessions, see them, change their state');
  addCreate(session, cli);
  addList(session, cli);
  addShow(session, cli);
  addChanges(session, cli);
  addExport(session, cli);
  addReplay(session, cli);
}
