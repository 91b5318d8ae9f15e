import { GatewayError } from '../gateway-error.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { newActionId } from './ids.ts';

const cloneLimitSeconds = 600;

/** Also what an attempt that was cut off has left; nobody else has been there yet. */
const emptyHere = '(shopt -s dotglob nullglob; rm -rf -- ./*)';

/** Fills the workspace, inside the sandbox: a repository is as foreign as any other program. */
export async function clone(
  runtime: Runtime,
  source: { url: string; ref?: string | undefined },
  signal: AbortSignal,
): Promise<void> {
  const checkout = source.ref === undefined ? '' : ` && git checkout -q ${quote(source.ref)} --`;
  const command = `${emptyHere} && GIT_TERMINAL_PROMPT=0 git clone -q -- ${quote(source.url)} .${checkout}`;
  const observation = await runtime.execute({
    actionId: newActionId(),
    event: {
      action: 'run',
      args: { command, blocking: true, hidden: true },
      timeout: cloneLimitSeconds,
    },
    isResumed: false,
    signal: AbortSignal.any([signal, AbortSignal.timeout((cloneLimitSeconds + 30) * 1000)]),
  });
  const { content, extras } = JSON.parse(observation) as {
    content: string;
    extras?: { metadata?: { exit_code?: number } };
  };
  if (extras?.metadata?.exit_code === 0) return;
  const said = withoutPasswords(content).trim().split('\n').slice(-3).join(' ').slice(0, 500);
  throw new GatewayError('runtime-failed', `git could not clone the repository: ${said}`);
}

export function withoutPasswords(text: string): string {
  return text.replace(/\/\/[^/@\s]*@/g, '//');
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
