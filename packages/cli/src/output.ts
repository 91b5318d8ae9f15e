import { styleText } from 'node:util';
import type { Cli, GlobalOptions } from './cli.ts';

/** How a command speaks: values on standard output for people or machines, everything else on standard error. */
export class Output {
  readonly isJson: boolean;
  readonly #cli: Cli;
  #hasProgress = false;

  constructor(cli: Cli, options: GlobalOptions) {
    this.#cli = cli;
    this.isJson = options.json ?? false;
  }

  /** One JSON document on a line, or what a person reads. */
  value(value: unknown, human: () => string): void {
    this.clearProgress();
    this.#cli.stdout.write(`${this.isJson ? JSON.stringify(value) : human()}\n`);
  }

  /** For a person who watches; overwritten by the next, and gone in the end. */
  progress(text: string): void {
    const { stderr } = this.#cli;
    if (!stderr.isTTY || this.isJson) return;
    const line = text.replaceAll(/\s+/g, ' ').slice(0, (stderr.columns || 80) - 1);
    stderr.write(`\r\x1b[K${styleText('dim', line, { stream: stderr })}`);
    this.#hasProgress = true;
  }

  clearProgress(): void {
    if (this.#hasProgress) this.#cli.stderr.write('\r\x1b[K');
    this.#hasProgress = false;
  }

  /** A remark beside the result, for people only. */
  note(text: string): void {
    this.clearProgress();
    if (!this.isJson) this.#cli.stderr.write(`${styleText('dim', text, { stream: this.#cli.stderr })}\n`);
  }

  warn(text: string): void {
    this.clearProgress();
    const { stderr } = this.#cli;
    stderr.write(`${styleText('yellow', 'warning:', { stream: stderr })} ${text}\n`);
  }

  style(format: Parameters<typeof styleText>[0], text: string): string {
    return styleText(format, text, { stream: this.#cli.stdout });
  }
}
