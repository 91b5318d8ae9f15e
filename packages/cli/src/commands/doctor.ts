import type { Command } from 'commander';
import type { Cli, GlobalOptions } from '../cli.ts';
import { findDrivers } from '../doctor/drivers.ts';
import { findEditor } from '../doctor/editor.ts';
import type { Finding } from '../doctor/finding.ts';
import { findGateway, findStateDir } from '../doctor/gateway.ts';
import { findPrograms } from '../doctor/programs.ts';
import { exitCodes } from '../exit-codes.ts';
import { Output } from '../output.ts';

interface DoctorOptions extends GlobalOptions {
  dockerSocket?: string;
}

export function addDoctor(program: Command, cli: Cli): void {
  program
    .command('doctor')
    .description('Look at what is installed, and say what each missing piece would enable')
    .option('--docker-socket <path>', 'socket of the Docker engine')
    .action(async (_options, command: Command) => {
      await doctor(cli, command.optsWithGlobals<DoctorOptions>());
    });
}

async function doctor(cli: Cli, options: DoctorOptions): Promise<void> {
  const output = new Output(cli, options);
  output.progress('Looking around …');
  const [programs, drivers, editor, stateDir, gateway] = await Promise.all([
    findPrograms(),
    findDrivers(options.dockerSocket),
    findEditor(cli, options),
    findStateDir(cli, options),
    findGateway(cli, options),
  ]);
  const node: Finding = { name: 'Node', status: 'ok', detail: `${process.version} at ${process.execPath}` };
  const findings = [node, ...programs, ...drivers.findings, editor, stateDir, gateway];
  const canCreate = drivers.isAnyUsable && findings.every(({ status }) => status !== 'missing');
  output.value({ canCreateSessions: canCreate, findings }, () => {
    const verdict = canCreate
      ? output.style('green', 'Sessions can be created here.')
      : output.style('red', 'Sessions cannot be created here; see above what to do.');
    return [...findings.map((finding) => describe(finding, output)), '', verdict].join('\n');
  });
  if (!canCreate) cli.exitCode = exitCodes.failed;
}

const marks = { ok: ['green', '✓'], limited: ['yellow', '!'], missing: ['red', '✗'] } as const;

function describe({ name, status, detail, enables, remedy }: Finding, output: Output): string {
  const [colour, mark] = marks[status];
  const lines = [`${output.style(colour, mark)} ${name.padEnd(16)} ${detail}`];
  if (enables !== undefined) lines.push(`${' '.repeat(19)}would enable: ${enables}`);
  if (remedy !== undefined) lines.push(`${' '.repeat(19)}to do: ${remedy}`);
  return lines.join('\n');
}
