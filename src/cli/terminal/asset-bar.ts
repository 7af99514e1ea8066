/** A progress bar for assets that are added to an index. */
import { PassThrough } from 'node:stream';
import { SingleBar } from 'cli-progress';
import { canOverwrite } from '../../platform/config/terminal.js';

/** Fits on a terminal of 80 columns, because its line wraps: a signal that ends the process must leave it so. */
const BAR_CHARACTERS = 20;

/** Shown on terminals only that can overwrite a line. */
export function assetBar(): SingleBar {
  return new SingleBar({
    stream: canOverwrite(process.stderr) ? process.stderr : new PassThrough(),
    noTTYOutput: false,
    clearOnComplete: true,
    linewrap: true,
    barsize: BAR_CHARACTERS,
  });
}
