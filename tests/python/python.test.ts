import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const run = promisify(execFile);
const python = fileURLToPath(new URL('../../python/', import.meta.url));
const environment = { ...process.env, PYTHONDONTWRITEBYTECODE: '1' };

describe('the Python package', { tags: ['python3'] }, () => {
  it('passes its own tests', { timeout: 180_000 }, async () => {
    const args = ['-W', 'error::ResourceWarning', '-m', 'unittest', 'discover', '-t', '.', '-s', 'tests'];
    const { stderr } = await run('python3', args, {
      cwd: python,
      env: { ...environment, PYTHONPATH: join(python, 'src') },
    }).catch((error: { stderr: string }) => {
      throw new Error(error.stderr);
    });
    expect(stderr).toMatch(/\nRan \d+ tests in [\d.]+s\n\nOK\n$/);
  });

  it('is built as a wheel that can be installed and used', { tags: ['pip3'], timeout: 300_000 }, async () => {
    const directory = await mkdtemp(join(tmpdir(), 'fairlead-wheel-'));
    try {
      await cp(python, join(directory, 'source'), { recursive: true });
      const quiet = ['--quiet', '--disable-pip-version-check', '--no-deps'];
      await run('pip3', ['wheel', ...quiet, '--wheel-dir', directory, join(directory, 'source')], {
        env: environment,
      });
      const wheel = (await readdir(directory)).find((name) => name.endsWith('.whl'));
      expect(wheel).toBe('fairlead-0.1.0-py3-none-any.whl');
      const venv = join(directory, 'venv');
      await run('python3', ['-m', 'venv', '--without-pip', venv]);
      await run(
        'pip3',
        ['--python', join(venv, 'bin/python'), 'install', ...quiet, '--no-index', join(directory, wheel!)],
        {
          env: environment,
        },
      );
      const program =
        'import fairlead, vscode_bridge, vscode_bridge.aio, vscode_bridge.debug_adapter, os;' +
        'typed = os.path.exists(os.path.join(os.path.dirname(fairlead.__file__), "py.typed"));' +
        'print(fairlead.__version__, vscode_bridge.is_available(), typed)';
      const { stdout } = await run(join(venv, 'bin/python'), ['-c', program], { cwd: directory, env: {} });
      expect(stdout).toBe('0.1.0 False True\n');
    } finally {
      await rm(directory, { recursive: true });
    }
  });
});
