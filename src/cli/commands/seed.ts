/** `isccd seed isrc FILE`: validates seed metadata and prints it as the Data-URL for `meta`. */
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import {
  compactIsrc,
  linkedIsrc,
  parseIsrc,
  SeedInvalid,
  seedDataUrl,
} from '../../services/codes/seed/isrc.js';
import { CommandFailed, lines, reason } from '../terminal/failure.js';

interface SeedOptions {
  readonly form?: 'compact' | 'json-ld';
  readonly json?: boolean;
}

/** Some editors on Windows write it at the start of a file. */
const BYTE_ORDER_MARK = /^\ufeff/;

export async function seedIsrc(file: string, options: SeedOptions): Promise<void> {
  try {
    const json = file === '-' ? await text(process.stdin) : await readFile(file, 'utf8');
    const seed = parseIsrc(JSON.parse(json.replace(BYTE_ORDER_MARK, '')));
    const formed =
      options.form === 'compact' ? compactIsrc(seed) : options.form === 'json-ld' ? linkedIsrc(seed) : seed;
    const meta = seedDataUrl(formed);
    process.stdout.write(`${options.json ? JSON.stringify({ meta }) : meta}\n`);
  } catch (error) {
    const problems = error instanceof SeedInvalid ? error.problems : [reason(error)];
    throw new CommandFailed(lines(problems.map((problem) => `${file}: ${problem}`)));
  }
}
