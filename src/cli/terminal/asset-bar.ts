/** A progress bar for assets that are added to an index. */
import { SingleBar } from 'cli-progress';

/** Fits on a terminal of 80 columns, because its line wraps: a signal that ends the process must leave it so. */
const BAR_CHARACTERS = 20;

/** Shown on terminals only. */
export function assetBar(): SingleBar {
  return new SingleBar({
    stream: process.stderr,
    noTTYOutput: false,
    clearOnComplete: true,
    linewrap: true,
    barsize: BAR_CHARACTERS,
  });
}
