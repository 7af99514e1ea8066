/** The report of `isccd index import`: rows that were refused, with the reason. */
import { appendFile } from 'node:fs/promises';
import type { RefusedLine } from '../../client/search-api.js';
import { printable } from '../../platform/printable.js';
import type { SourceBatch } from './asset-sources.js';

/** Refused rows that are shown; all are in the report. */
const SHOWN_MAX = 10;

/** Writes each refused row to a file as a line of JSON, and shows the first ones. */
export class RefusalReport {
  readonly #file: string;
  readonly #index: string;
  #shown = 0;

  constructor(file: string, index: string) {
    this.#file = file;
    this.#index = index;
  }

  /** @param refused rows of the batch, by their line in it */
  async add(refused: readonly RefusedLine[], batch: SourceBatch): Promise<void> {
    const index = this.#index;
    const idOf = idsOf(batch, refused.length);
    const rows = [
      ...refused.map(({ line, iscc_id = idOf(line), detail }) => {
        const place = batch.firstLine === undefined ? undefined : batch.firstLine + line - 1;
        return { index, line: place, iscc_id, detail };
      }),
      ...batch.problems.map((detail) => ({ index, detail })),
    ];
    if (rows.length === 0) return;
    const lines = rows.map((row) => JSON.stringify(row));
    await appendFile(this.#file, `${lines.join('\n')}\n`);
    for (const line of lines.slice(0, Math.max(0, SHOWN_MAX - this.#shown)))
      process.stderr.write(`refused: ${printable(line)}\n`);
    this.#shown += lines.length;
  }
}

/** Gives the ISCC-ID in a line of a batch; `undefined` if the line has none that can be read. */
function idsOf({ lines }: SourceBatch, refused: number): (line: number) => string | undefined {
  const { buffer, byteOffset, byteLength } = lines;
  const texts = refused > 0 ? Buffer.from(buffer, byteOffset, byteLength).toString().split('\n') : [];
  return (line) => {
    try {
      const { iscc_id: id } = JSON.parse(texts[line - 1] ?? '') as { readonly iscc_id?: unknown };
      return typeof id === 'string' ? id : undefined;
    } catch {
      return undefined;
    }
  };
}
