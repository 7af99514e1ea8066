/** Uploads whose records were written before their files, when the process ended between the two. */
import { fileOf, fileProblem } from './media-file.js';
import type { Records } from './records.js';

/** Removes unconfirmed records without a complete file, and confirms the others. Resolves to the number of the former. */
export async function settleInterrupted(records: Records, mediaPath: string): Promise<number> {
  let removed = 0;
  for (const id of records.unconfirmed()) {
    const record = records.find(id);
    const file = record && fileOf(mediaPath, id, record);
    const isWhole = file && (await fileProblem(file, record, records.findResult(id))) === undefined;
    if (isWhole) records.confirm(id);
    else if (await records.remove(id)) removed += 1;
  }
  return removed;
}
