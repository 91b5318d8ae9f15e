/** Lines from start to before end in the one list, in the place of those in the other. */
export interface Change {
  oldStart: number;
  oldEnd: number;
  newStart: number;
  newEnd: number;
}

interface Block {
  oldStart: number;
  newStart: number;
  size: number;
}

/** In a text from this many lines on, a line that makes up more than 1 % of it tells nothing about what moved. */
const popularFromLines = 200;

/** Steps of the search that stay within a few tens of milliseconds. */
const stepBudget = 4_000_000;

/**
 * What differs between two lists of lines, as Python's difflib sees it: the longest common block first, then the
 * same on both sides of it. Undefined when that would take longer than the budget allows.
 */
export function changesBetween(oldLines: string[], newLines: string[]): Change[] | undefined {
  const blocks = matchingBlocks(oldLines, newLines);
  return blocks && changesAround(blocks, oldLines.length, newLines.length);
}

function changesAround(blocks: Block[], oldLength: number, newLength: number): Change[] {
  const changes: Change[] = [];
  let oldAt = 0;
  let newAt = 0;
  for (const { oldStart, newStart, size } of [
    ...blocks,
    { oldStart: oldLength, newStart: newLength, size: 0 },
  ]) {
    if (oldAt < oldStart || newAt < newStart)
      changes.push({ oldStart: oldAt, oldEnd: oldStart, newStart: newAt, newEnd: newStart });
    oldAt = oldStart + size;
    newAt = newStart + size;
  }
  return changes;
}

function matchingBlocks(oldLines: string[], newLines: string[]): Block[] | undefined {
  const search = new BlockSearch(oldLines, newLines);
  const blocks: Block[] = [];
  const pending = [{ oldStart: 0, oldEnd: oldLines.length, newStart: 0, newEnd: newLines.length }];
  for (let range = pending.pop(); range !== undefined; range = pending.pop()) {
    const block = search.longestIn(range);
    if (search.steps > stepBudget) return undefined;
    if (block.size === 0) continue;
    blocks.push(block);
    if (range.oldStart < block.oldStart && range.newStart < block.newStart)
      pending.push({ ...range, oldEnd: block.oldStart, newEnd: block.newStart });
    const oldStart = block.oldStart + block.size;
    const newStart = block.newStart + block.size;
    if (oldStart < range.oldEnd && newStart < range.newEnd) pending.push({ ...range, oldStart, newStart });
  }
  return blocks.sort((left, right) => left.oldStart - right.oldStart);
}

/** Finds the longest common block within a range; lines are numbers here, equal ones the same number. */
class BlockSearch {
  steps = 0;
  readonly #old: Int32Array;
  readonly #new: Int32Array;
  /** Where each line number occurs in the new list, ascending; popular lines nowhere. */
  readonly #places: number[][] = [];
  /** Length of the block that ends at each new index, for the old line before this one and for this one. */
  #before: Int32Array;
  #current: Int32Array;

  constructor(oldLines: string[], newLines: string[]) {
    const numbers = new Map<string, number>();
    this.#new = Int32Array.from(newLines, (line, index) => {
      const number = numbers.get(line) ?? numbers.size;
      if (number === numbers.size) {
        numbers.set(line, number);
        this.#places.push([]);
      }
      this.#places[number]!.push(index);
      return number;
    });
    this.#old = Int32Array.from(oldLines, (line) => numbers.get(line) ?? -1);
    this.#forgetPopularLines();
    this.#before = new Int32Array(newLines.length + 1);
    this.#current = new Int32Array(newLines.length + 1);
  }

  longestIn({ oldStart, oldEnd, newStart, newEnd }: Change): Block {
    let best: Block = { oldStart, newStart, size: 0 };
    let touchedBefore: number[] = [];
    for (let oldIndex = oldStart; oldIndex < oldEnd; oldIndex++) {
      const touched = this.#placesIn(this.#old[oldIndex]!, newStart, newEnd);
      this.steps += touched.length + 1;
      if (this.steps > stepBudget) return best;
      for (const newIndex of touched) {
        const size = this.#before[newIndex]! + 1;
        this.#current[newIndex + 1] = size;
        if (size > best.size) best = { oldStart: oldIndex - size + 1, newStart: newIndex - size + 1, size };
      }
      for (const newIndex of touchedBefore) this.#before[newIndex + 1] = 0;
      [this.#before, this.#current] = [this.#current, this.#before];
      touchedBefore = touched;
    }
    for (const newIndex of touchedBefore) this.#before[newIndex + 1] = 0;
    return this.#extended(best, { oldStart, oldEnd, newStart, newEnd });
  }

  /** Popular lines start no block, but belong to one that they touch. */
  #extended(block: Block, range: Change): Block {
    let { oldStart, newStart, size } = block;
    while (
      oldStart > range.oldStart &&
      newStart > range.newStart &&
      this.#old[oldStart - 1] === this.#new[newStart - 1]
    ) {
      oldStart--;
      newStart--;
      size++;
    }
    while (
      oldStart + size < range.oldEnd &&
      newStart + size < range.newEnd &&
      this.#old[oldStart + size] === this.#new[newStart + size]
    )
      size++;
    return { oldStart, newStart, size };
  }

  #placesIn(line: number, start: number, end: number): number[] {
    const places = line === -1 ? undefined : this.#places[line];
    if (places === undefined || places.length === 0) return [];
    if (places[0]! >= start && places.at(-1)! < end) return places;
    return places.slice(lowerBound(places, start), lowerBound(places, end));
  }

  #forgetPopularLines(): void {
    const length = this.#new.length;
    if (length < popularFromLines) return;
    const limit = Math.floor(length / 100) + 1;
    for (const [line, places] of this.#places.entries()) if (places.length > limit) this.#places[line] = [];
  }
}

function lowerBound(sorted: number[], value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
