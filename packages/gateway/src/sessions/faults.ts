import { DriverError } from '../drivers/driver.ts';
import { GatewayError } from '../gateway-error.ts';

/** What is written to the store; a fault of it is told with what that means for whoever asked. */
export async function stored<Result>(writing: Promise<Result>, consequence: string): Promise<Result> {
  try {
    return await writing;
  } catch (error) {
    if (error instanceof GatewayError) throw error;
    const fault = (error as Error).message;
    throw new GatewayError(
      'store-failed',
      `The gateway cannot write to its store (${fault}), so ${consequence}; free disk space on its machine and try again`,
    );
  }
}

/** What is asked of a driver; its own words say what to do. */
export async function driven<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof DriverError ? new GatewayError('runtime-failed', error.message) : error;
  }
}
