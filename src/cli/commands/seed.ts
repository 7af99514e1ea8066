/** `isccd seed isrc|isbn|stm FILE`: validates seed metadata and prints it as the Data-URL for `meta`. */
import {
  compactSeed,
  linkedSeed,
  type Seed,
  SeedInvalid,
  seedDataUrl,
} from '../../services/codes/seed/form.js';
import { parseIsbn } from '../../services/codes/seed/isbn.js';
import { parseIsrc } from '../../services/codes/seed/isrc.js';
import { parseStm } from '../../services/codes/seed/stm.js';
import { readNamed } from '../input/named-file.js';
import { CommandFailed, lines, reason } from '../terminal/failure.js';

const PARSERS = { isrc: parseIsrc, isbn: parseIsbn, stm: parseStm } as const;

export type SeedKind = keyof typeof PARSERS;

interface SeedOptions {
  readonly form?: 'compact' | 'json-ld';
  readonly json?: boolean;
}

/** Some editors on Windows write it at the start of a file. */
const BYTE_ORDER_MARK = /^\ufeff/;

export async function seed(kind: SeedKind, file: string, options: SeedOptions): Promise<void> {
  const json = (await readNamed(file)).toString();
  try {
    const record: Seed = PARSERS[kind](JSON.parse(json.replace(BYTE_ORDER_MARK, '')));
    const meta = seedDataUrl(inForm(record, options.form));
    process.stdout.write(`${options.json ? JSON.stringify({ meta }) : meta}\n`);
  } catch (error) {
    const problems = error instanceof SeedInvalid ? error.problems : [reason(error)];
    throw new CommandFailed(lines(problems.map((problem) => `${file}: ${problem}`)));
  }
}

function inForm(record: Seed, form: SeedOptions['form']): Seed {
  if (form === undefined) return record;
  return form === 'compact' ? compactSeed(record) : linkedSeed(record);
}
