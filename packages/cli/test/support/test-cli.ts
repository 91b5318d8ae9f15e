import { PassThrough, Writable } from 'node:stream';
import type { Cli, Settings } from '../../src/cli.ts';

/** A command's surroundings, with what it says kept as text. */
export function testCli(
  settings: Partial<Settings> = {},
): Cli & { said: { stdout: string; stderr: string } } {
  const said = { stdout: '', stderr: '' };
  const keep = (name: keyof typeof said) =>
    new Writable({
      write(chunk, _encoding, done) {
        said[name] += String(chunk);
        done();
      },
    }) as unknown as NodeJS.WriteStream;
  return {
    version: '1.2.3',
    settings: {
      url: undefined,
      apiKey: undefined,
      stateDir: '/nowhere',
      cwd: '/',
      user: 'me',
      variable: () => undefined,
      ...settings,
    },
    stdin: new PassThrough() as unknown as NodeJS.ReadStream,
    stdout: keep('stdout'),
    stderr: keep('stderr'),
    exitCode: 0,
    said,
  };
}
