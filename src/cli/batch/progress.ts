/** Progress and summary of work on many files, on standard error. */
import progress, { type GenericFormatter } from 'cli-progress';
import { canOverwrite } from '../../platform/config/terminal.js';
import { counted } from '../terminal/lines.js';

/** Fewer files finish before the user could read a progress bar. */
const FILES_MIN = 4;

/** Beside the longest text of a bar, on a terminal of 80 columns. Narrow ones show the numbers rather than the bar. */
const BAR_CHARACTERS_MAX = 30;
const TEXT_CHARACTERS = 50;

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];

export class BatchProgress {
  readonly #started = performance.now();
  readonly #bar: progress.SingleBar | undefined;
  readonly #files: number;
  /** The terminal wraps no lines until the bar stops, so it must stop at an interruption, too. */
  readonly #stop = () => this.#bar?.stop();
  #done = 0;
  #failed = 0;
  #bytes = 0;

  /**
   * Shows a bar on terminals only, to keep pipes and logs clean.
   *
   * @param printsResults whether results go to standard output meanwhile; on the same terminal they would mix with the bar
   */
  constructor(files: number, { printsResults }: { readonly printsResults: boolean }) {
    this.#files = files;
    const isMixed = printsResults && process.stdout.isTTY === true;
    if (!canOverwrite(process.stderr) || isMixed || files < FILES_MIN) return;
    this.#bar = new progress.SingleBar({
      format: barLine,
      stream: process.stderr,
      clearOnComplete: true,
      etaBuffer: 100,
      barsize: barCharacters(process.stderr.columns),
    });
    this.#bar.start(files, 0, { rate: '' });
    process.once('exit', this.#stop);
  }

  add(bytes: number, isFailure: boolean): void {
    this.#done += 1;
    this.#bytes += bytes;
    if (isFailure) this.#failed += 1;
    this.#bar?.update(this.#done, { rate: this.#rate() });
  }

  stop(): void {
    process.off('exit', this.#stop);
    this.#stop();
  }

  /** One line for the user; nothing for a few files, whose results are shown. */
  summary(skipped = 0): string | undefined {
    if (this.#files + skipped < FILES_MIN) return undefined;
    const seconds = this.#seconds();
    const parts = [
      counted(this.#done, 'files'),
      `${this.#failed} failed`,
      ...(skipped > 0 ? [`${skipped} done before`] : []),
      `${inBytes(this.#bytes)} in ${seconds.toFixed(1)} s`,
    ];
    return `${parts.join(', ')} (${this.#rate()})`;
  }

  #rate(): string {
    const seconds = this.#seconds();
    return `${(this.#done / seconds).toFixed(1)} files/s, ${inBytes(this.#bytes / seconds)}/s`;
  }

  #seconds(): number {
    return Math.max(performance.now() - this.#started, 1) / 1000;
  }
}

/** How long a bar may be on a terminal of this width, which is not known of all. */
export function barCharacters(columns = TEXT_CHARACTERS + BAR_CHARACTERS_MAX): number {
  return Math.min(Math.max(columns - TEXT_CHARACTERS, 0), BAR_CHARACTERS_MAX);
}

/** Before the first file is done, nothing is known of the rate. */
const barLine: GenericFormatter = (options, params, payload) => {
  const known = payload.rate === '' ? '' : ', {rate}, {eta_formatted} left';
  return progress.Format.Formatter(
    { ...options, format: `${options.barsize === 0 ? '' : '{bar} '}{value}/{total} files${known}` },
    params,
    payload,
  );
};

/** A size with a unit, such as `1.5 MiB`. */
export function inBytes(bytes: number): string {
  let [value, unit] = [bytes, 0];
  for (; value >= 1024 && unit < UNITS.length - 1; unit += 1) value /= 1024;
  return `${unit === 0 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`;
}
