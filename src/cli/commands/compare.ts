/** `isccd compare A B`: similarity of two codes or files, unit by unit. */
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { decomposeCode } from '../../iscc/codec.js';
import { native, type UnitComparison } from '../../native.js';
import { printable } from '../../platform/printable.js';
import { resultOf, withPipeline } from '../input/local-pipeline.js';
import { type Paint, painter } from '../terminal/colour.js';
import { CommandFailed, reason, reasons } from '../terminal/failure.js';

const BAR_CHARACTERS = 20;
const FEATURELESS_IMAGE = '  means nothing: the image is featureless';
const WITHOUT_TEXT = '  means nothing: the document has no text';

export async function compare(a: string, b: string, options: { json?: boolean }): Promise<void> {
  const units = await compared(a, b);
  if (options.json) {
    process.stdout.write(`${JSON.stringify(units)}\n`);
    return;
  }
  const paint = painter(process.stdout);
  for (const unit of units) process.stdout.write(`${line(unit, paint)}\n`);
}

function line({ kind, similarity, bits, featureless }: UnitComparison, paint: Paint): string {
  const filled = Math.round(similarity * BAR_CHARACTERS);
  const bar = paint('green', '#'.repeat(filled)) + paint('dim', '.'.repeat(BAR_CHARACTERS - filled));
  const percent = `${(similarity * 100).toFixed(1)} %`.padStart(8);
  const reason = /_TEXT_/.test(kind) ? WITHOUT_TEXT : FEATURELESS_IMAGE;
  return `${kind.padEnd(20)} ${bar} ${percent} of ${bits} bits${featureless ? paint('yellow', reason) : ''}`;
}

/** Codes are compared as they are, files by all their units of 256 bits. */
async function compared(a: string, b: string): Promise<UnitComparison[]> {
  const codes = [codeUnits(a), codeUnits(b)];
  const files = [a, b].filter((_, at) => codes[at] instanceof Error);
  // A mistyped code is no file either, and its error says more.
  for (const [at, name] of [a, b].entries()) {
    const code = codes[at];
    if (code instanceof Error && !(await isFile(name))) throw invalid(name, code);
  }
  const made = files.length === 0 ? new Map<string, readonly string[]>() : await unitsOfFiles(files);
  const [left = [], right = []] = [a, b].map((name, at) => {
    const code = codes[at];
    return code instanceof Error || code === undefined ? (made.get(name) ?? []) : code;
  });
  const units = left.flatMap((one) => right.flatMap((other) => native.compareCodes(one, other)));
  if (units.length === 0) throw new CommandFailed('the codes have no units of the same type');
  return units;
}

function codeUnits(text: string): readonly string[] | Error {
  try {
    return decomposeCode(text);
  } catch (error) {
    return error instanceof Error ? error : new Error(reason(error));
  }
}

function invalid(name: string, error: Error): CommandFailed {
  return new CommandFailed(
    printable(`there is no file ${name}, and it is not an ISCC-CODE: ${error.message}`),
  );
}

async function isFile(name: string): Promise<boolean> {
  return (await stat(name).catch(() => undefined))?.isFile() ?? false;
}

/** Units by file. @throws {CommandFailed} naming the first file without a code */
export async function unitsOfFiles(files: readonly string[]): Promise<Map<string, readonly string[]>> {
  return withPipeline({ files: files.length, fallback: true }, async ({ pipeline }) => {
    const options = { granular: false, thumbnail: false };
    const results = files.map(async (file) => {
      const named = { path: file, filename: path.basename(file) };
      try {
        return [file, (await resultOf(pipeline, named, options)).units] as const;
      } catch (error) {
        throw new CommandFailed(printable(`${file}: ${reasons(error)}`));
      }
    });
    return new Map(await Promise.all(results));
  });
}
