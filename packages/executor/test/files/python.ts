import { spawnSync } from 'node:child_process';

/** Runs a Python program on a value, both as JSON; the tests' oracle for what the reference does with Python. */
export function python(program: string, input: unknown): unknown {
  const code = `import json, sys\ngiven = json.load(sys.stdin)\n${program}\njson.dump(answer, sys.stdout)`;
  const { status, stdout, stderr } = spawnSync('python3', ['-c', code], {
    input: JSON.stringify(input),
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
  });
  if (status !== 0) throw new Error(`python3 failed: ${stderr}`);
  return JSON.parse(stdout);
}
