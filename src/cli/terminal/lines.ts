/** Lines that several commands print. */
import { canOverwrite } from '../../platform/config/terminal.js';
import { printable } from '../../platform/printable.js';
import type { Counts } from '../../storage/data/port.js';

/** One line of JSON for programs. */
export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

/** A number and what it counts, a plural: `1 group`, `2 groups`, `1 index`. */
export function counted(count: number, plural: string): string {
  const singular = plural.replace(/ies$/, 'y').replace(/(?<=x|ss)es$|(?<=[^ys])s$/, '');
  return `${count} ${count === 1 ? singular : plural}`;
}

/** E.g. `store     3 manifests, 1 tombstone`: the content of one service's data. */
export function countsLine(kind: string, counts: Counts): string {
  const parts = Object.entries(counts).map(([name, count]) => counted(count, name));
  return `${kind.padEnd(9)} ${parts.join(', ') || 'nothing'}\n`;
}

const PAUSE_MS = 100;

/** A progress line that overwrites itself on a terminal; does nothing if standard error is not a terminal. */
export class StatusLine {
  readonly #isOn: boolean;
  #shownAt = 0;

  /** @param isQuiet for machine-readable output */
  constructor(isQuiet = false) {
    this.#isOn = canOverwrite(process.stderr) && !isQuiet;
  }

  /** Replaces the line, at most once per 100 ms. */
  show(text: string): void {
    if (!this.#isOn || Date.now() - this.#shownAt < PAUSE_MS) return;
    this.#shownAt = Date.now();
    process.stderr.write(`\r\u001b[K${printable(text)}`);
  }

  clear(): void {
    if (this.#isOn) process.stderr.write('\r\u001b[K');
  }
}
