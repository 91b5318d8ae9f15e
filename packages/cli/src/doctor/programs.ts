import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Finding } from './finding.ts';

interface Program {
  name: string;
  debianPackage: string;
  versionArgument: string;
  status: 'limited' | 'missing';
  enables: string;
}

const programs: Program[] = [
  {
    name: 'bash',
    debianPackage: 'bash',
    versionArgument: '--version',
    status: 'missing',
    enables: 'local sessions: their shells are bash',
  },
  {
    name: 'tmux',
    debianPackage: 'tmux',
    versionArgument: '-V',
    status: 'limited',
    enables: 'shells of local sessions that survive a crash of their sandbox server',
  },
  {
    name: 'git',
    debianPackage: 'git',
    versionArgument: '--version',
    status: 'limited',
    enables: 'session create --git URL, and git in local sessions',
  },
];

export function findPrograms(): Promise<Finding[]> {
  return Promise.all(programs.map(findProgram));
}

async function findProgram(program: Program): Promise<Finding> {
  const { name, debianPackage, versionArgument, status, enables } = program;
  try {
    const { stdout } = await promisify(execFile)(name, [versionArgument], { timeout: 10_000 });
    return { name, status: 'ok', detail: stdout.split('\n')[0] ?? '' };
  } catch (error) {
    const isAbsent = (error as NodeJS.ErrnoException).code === 'ENOENT';
    const detail = isAbsent ? 'not installed' : `does not work: ${(error as Error).message.trim()}`;
    return { name, status, detail, enables, remedy: `apt-get install ${debianPackage}` };
  }
}
