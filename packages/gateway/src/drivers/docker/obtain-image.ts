import type Docker from 'dockerode';
import { DriverError } from '../driver.ts';
import { engineText, statusOf } from './engine-failure.ts';
import { type PullEvent, pullProgress } from './pull-progress.ts';

/** The image as the engine has it, pulled if it has not. */
export async function obtainImage(
  docker: Docker,
  name: string,
  onProgress: (text: string) => void,
  cancelled: AbortSignal,
): Promise<Docker.ImageInspectInfo> {
  const image = docker.getImage(name);
  try {
    return await image.inspect();
  } catch (error) {
    if (statusOf(error) !== 404) throw error;
  }
  try {
    onProgress(`Pulling ${name}`);
    const events = await docker.pull(name, { abortSignal: cancelled });
    await followed(events, pullProgress(name, onProgress));
  } catch (error) {
    if (cancelled.aborted) throw new DriverError(`The sandbox was stopped while '${name}' was pulled`);
    // No answer at all, rather than a refusal.
    if (statusOf(error) === undefined && (error as NodeJS.ErrnoException).code !== undefined) throw error;
    throw new DriverError(
      `Image '${name}' could not be pulled: ${engineText(error)}. ` +
        `Check its name and the network, or get it with: docker pull ${name}`,
      { cause: error },
    );
  }
  return image.inspect();
}

/** The engine tells of each step in a line of JSON; its answer has begun before it knows of a failure. */
async function followed(events: NodeJS.ReadableStream, onEvent: (event: PullEvent) => void): Promise<void> {
  let begun = '';
  for await (const piece of events.setEncoding('utf8')) {
    const lines = `${begun}${piece}`.split('\n');
    begun = lines.pop()!;
    for (const line of lines.filter((text) => text.trim() !== '')) {
      const event = JSON.parse(line) as PullEvent & { error?: string };
      if (event.error !== undefined) throw new Error(event.error);
      onEvent(event);
    }
  }
}
