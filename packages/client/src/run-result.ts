import type { Observation } from '@fairlead/protocol';

export type RunOutcome =
  /** The command has ended by itself. */
  | 'completed'
  /** The time-out came first; the command goes on. */
  | 'running'
  | 'cancelled'
  /** Nothing was executed; the remark says why. */
  | 'not-run'
  /** Whether it ended, and how, nobody can tell. */
  | 'unknown';

/** What became of a command: facts, also when it failed. */
export interface RunResult {
  actionId: string;
  outcome: RunOutcome;
  /** Null when it is not known, or not yet. */
  exitCode: number | null;
  /** As a person would have seen it on the terminal, without colours; cut when it is long. */
  output: string;
  /** The shell's directory afterwards. */
  directory: string | null;
  /** What the runtime says about it beside the output. */
  remark: string;
  /** False when some of the live output did not get here. */
  isOutputComplete: boolean;
  observation: Observation;
}

export function runResult(
  actionId: string,
  observation: Observation,
  { isCancelled, isOutputComplete }: { isCancelled: boolean; isOutputComplete: boolean },
): RunResult {
  const facts = { actionId, isOutputComplete, observation };
  if (observation.observation !== 'run') {
    const outcome = /outcome of this action is unknown/.test(observation.content) ? 'unknown' : 'not-run';
    return { ...facts, outcome, exitCode: null, output: '', directory: null, remark: observation.content };
  }
  const { exit_code: code, working_dir: directory, suffix } = observation.extras.metadata;
  const exitCode = code < 0 ? null : code;
  return {
    ...facts,
    outcome: outcomeOf(exitCode, suffix, isCancelled),
    exitCode,
    output: observation.content,
    directory,
    remark: suffix.trim().replace(/^\[(.*)\]$/s, '$1'),
  };
}

/** The contract tells these apart by its texts alone. */
function outcomeOf(exitCode: number | null, suffix: string, isCancelled: boolean): RunOutcome {
  if (suffix.includes('is NOT executed')) return 'not-run';
  if (isCancelled && suffix.includes('was cancelled')) return 'cancelled';
  if (exitCode !== null) return 'completed';
  return /timed out after|no new output after/.test(suffix) ? 'running' : 'unknown';
}
