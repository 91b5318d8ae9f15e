import { readdir } from 'node:fs/promises';
import { parseArgs } from 'node:util';

/** One measured figure. `bar` is the promise in words, `pass` whether this run kept it. */
export interface Row {
  what: string;
  figure: number;
  unit: string;
  /** The same measured without Fairlead in this run, and what that was. */
  floor?: number;
  floorWhat?: string;
  ratio?: number;
  bar?: string;
  pass: boolean;
}

export interface Benchmark {
  title: string;
  description: string;
  run(options: BenchmarkOptions): Promise<Row[]>;
}

export interface BenchmarkOptions {
  /** Makes what a benchmark does by chance the same as in an earlier run. */
  seed?: number;
}

process.exitCode = await main();

async function main(): Promise<number> {
  const { json, options, name, surplus } = parseCommandLine();
  const names = await benchmarkNames();
  if (name === undefined) {
    console.log(`npm run bench -- NAME [--json] [--seed N]\n\n${await list(names)}`);
    return 0;
  }
  if (!names.includes(name) || surplus.length > 0) {
    console.error(
      `There is no benchmark '${[name, ...surplus].join(' ')}'. Choose one:\n\n${await list(names)}`,
    );
    return 2;
  }
  return measure(name, json, options);
}

function parseCommandLine() {
  // Not strict: an unknown option is answered with the list of benchmarks rather than an exception.
  const known = { json: { type: 'boolean' }, seed: { type: 'string' } } as const;
  const { values, positionals } = parseArgs({ options: known, allowPositionals: true, strict: false });
  const { json, seed, ...unknown } = values;
  const isSeed = typeof seed === 'string' && /^\d+$/.test(seed);
  const wrong = [...Object.keys(unknown), ...(seed !== undefined && !isSeed ? ['seed'] : [])];
  const [name, ...surplus] = [...positionals, ...wrong.map((option) => `--${option}`)];
  return { json: json === true, options: isSeed ? { seed: Number(seed) } : {}, name, surplus };
}

async function measure(name: string, asJson: boolean, options: BenchmarkOptions): Promise<number> {
  const benchmark = await load(name);
  if (!asJson) console.log(`${benchmark.title}: ${benchmark.description}\n`);
  const rows = await benchmark.run(options).catch((error: Error) => {
    console.error(`The benchmark could not be run: ${error.message}`);
  });
  if (rows === undefined) return 1;
  const pass = rows.every((row) => row.pass);
  console.log(asJson ? JSON.stringify({ name, title: benchmark.title, pass, rows }) : table(rows));
  return pass ? 0 : 1;
}

async function benchmarkNames(): Promise<string[]> {
  const files = await readdir(import.meta.dirname, { withFileTypes: true });
  const names = files
    .filter((file) => file.isFile() && file.name.endsWith('.ts'))
    .map((file) => file.name.slice(0, -3));
  return names.filter((name) => name !== 'runner').sort();
}

async function load(name: string): Promise<Benchmark> {
  return (await import(`./${name}.ts`)) as Benchmark;
}

async function list(names: string[]): Promise<string> {
  const lines = names.map(async (name) => `  ${name.padEnd(10)}${(await load(name)).description}`);
  return lines.length === 0 ? '  There are none yet.' : (await Promise.all(lines)).join('\n');
}

function table(rows: Row[]): string {
  const header = ['what', 'figure', 'floor', 'ratio', 'bar', ''];
  const cells = rows.map((row) => [
    row.what,
    `${readable(row.figure)} ${row.unit}`,
    row.floor === undefined
      ? ''
      : `${readable(row.floor)} ${row.unit}${row.floorWhat ? ` (${row.floorWhat})` : ''}`,
    row.ratio === undefined ? '' : readable(row.ratio),
    row.bar ?? '',
    row.bar === undefined ? '' : row.pass ? 'ok' : 'MISSED',
  ]);
  const widths = header.map((title, column) =>
    Math.max(title.length, ...cells.map((line) => line[column]?.length ?? 0)),
  );
  const draw = (line: string[]) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return [header, widths.map((width) => '─'.repeat(width)), ...cells].map(draw).join('\n');
}

function readable(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : Math.abs(value) >= 1 ? 2 : 3;
  return value.toFixed(digits);
}
