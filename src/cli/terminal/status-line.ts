/** One line on a terminal that tells how far a command is; nothing where nobody looks. */
const PAUSE_MS = 100;

export class StatusLine {
  readonly #isOn: boolean;
  #shownAt = 0;

  /** @param isQuiet for output that a program reads */
  constructor(isQuiet = false) {
    this.#isOn = process.stderr.isTTY === true && !isQuiet;
  }

  /** Shows `text` in place of what was there, now and then. */
  show(text: string): void {
    if (!this.#isOn || Date.now() - this.#shownAt < PAUSE_MS) return;
    this.#shownAt = Date.now();
    process.stderr.write(`\r\u001b[K${text}`);
  }

  clear(): void {
    if (this.#isOn) process.stderr.write('\r\u001b[K');
  }
}
