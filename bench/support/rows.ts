import type { Row } from '../runner.ts';

type Measured = Pick<Row, 'what' | 'figure' | 'unit'>;

/** `bar` is where the promise ends; without one the row only informs. */
interface Compared extends Measured {
  floor: number;
  floorWhat: string;
  bar?: number;
}

export function ratioAtMost({ bar, ...compared }: Compared): Row {
  const ratio = compared.figure / compared.floor;
  if (bar === undefined) return { ...compared, ratio, pass: true };
  return { ...compared, ratio, bar: `ratio ≤ ${bar}`, pass: ratio <= bar };
}

export function ratioAtLeast({ bar, ...compared }: Compared): Row {
  const ratio = compared.figure / compared.floor;
  if (bar === undefined) return { ...compared, ratio, pass: true };
  return { ...compared, ratio, bar: `ratio ≥ ${bar}`, pass: ratio >= bar };
}

export function figureBelow({ bar, ...measured }: Measured & Partial<Compared>): Row {
  if (bar === undefined) return { ...measured, pass: true };
  return { ...measured, bar: `< ${bar} ${measured.unit}`, pass: measured.figure < bar };
}

export function noGrowth(what: string, before: number, after: number): Row {
  return {
    what,
    figure: after - before,
    unit: `more than ${before}`,
    bar: 'no growth',
    pass: after <= before,
  };
}
