import { closeSync, openSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** The first descriptor after standard input, output and error. */
const firstNumber = 3;

/** Open files to hand to a child process: what it needs is whole before it starts, and in no argument. */
export class PassedFiles {
  /** In the order of the child's descriptors, from 3. */
  readonly files: number[] = [];
  readonly #directory: string;

  /** The directory is for files that have a name for a moment. */
  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Opens a file, and answers with the descriptor under which the child finds it. */
  open(path: string): number {
    return this.#add(openSync(path, 'r'));
  }

  /** The same for a content that is in no file. */
  make(content: string | Buffer): number {
    const path = join(this.#directory, `passed-${process.pid}-${performance.now()}`);
    const file = openSync(path, 'wx+', 0o600);
    unlinkSync(path);
    // By position, so that the child reads from the start.
    const bytes = Buffer.from(content);
    for (let written = 0; written < bytes.length;)
      written += writeSync(file, bytes, written, bytes.length - written, written);
    return this.#add(file);
  }

  close(): void {
    for (const file of this.files.splice(0)) closeSync(file);
  }

  #add(file: number): number {
    return this.files.push(file) - 1 + firstNumber;
  }
}
