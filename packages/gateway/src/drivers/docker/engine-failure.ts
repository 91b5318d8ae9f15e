import { DriverError } from '../driver.ts';

/** The HTTP status an error of the engine came with. */
export function statusOf(error: unknown): number | undefined {
  return (error as { statusCode?: number }).statusCode;
}

/** What the engine itself says, in one line. */
export function engineText(error: unknown): string {
  return (error as Error).message
    .replace(/^\(HTTP code \d+\) [\w ]+ - /, '')
    .trim()
    .replace(/\s+/g, ' ')
    .replace(/\.$/, '');
}

export function engineFailure(error: unknown, socketPath: string): DriverError {
  if (error instanceof DriverError) return error;
  const unreachable = whyUnreachable(error, socketPath);
  if (unreachable) return new DriverError(`${unreachable.detail}. ${unreachable.remedy}`, { cause: error });
  return new DriverError(`The Docker engine refused: ${engineText(error)}`, { cause: error });
}

export interface Unreachable {
  detail: string;
  remedy: string;
}

/** Undefined when the engine has answered. */
export function whyUnreachable(error: unknown, socketPath: string): Unreachable | undefined {
  if (statusOf(error) !== undefined) return undefined;
  switch ((error as NodeJS.ErrnoException).code) {
    case undefined:
      return undefined;
    case 'ENOENT':
      return {
        detail: `There is no Docker engine at ${socketPath}`,
        remedy:
          'Install one (Debian, Ubuntu: sudo apt-get install docker.io), or start it: sudo systemctl start docker',
      };
    case 'ECONNREFUSED':
      return {
        detail: `The Docker engine at ${socketPath} is not running`,
        remedy: 'Start it: sudo systemctl start docker',
      };
    case 'EACCES':
    case 'EPERM':
      return {
        detail: `This user may not use the Docker engine at ${socketPath}`,
        remedy: 'Join its group, then log in again: sudo usermod -aG docker $USER',
      };
    default:
      return {
        detail: `The Docker engine at ${socketPath} does not answer (${(error as Error).message})`,
        remedy: 'See what it says: sudo journalctl -u docker',
      };
  }
}
