/** Uploads whose records were written before their files, when the process ended between the two. */
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { native } from '../native.js';
import type { MediaId } from './media-id.js';
import type { Records } from './records.js';
import type { UploadRecord } from './records-port.js';
import type { IsccResult } from './result.js';

/** Where a media folder has the file of an upload. */
export function fileOf(mediaPath: string, id: MediaId, { filename }: UploadRecord): string {
  return path.join(mediaPath, 'files', id, filename);
}

/**
 * What contradicts the record or the result of a file; `undefined` if nothing does.
 *
 * @throws the error of the file system if the file exists and is not readable
 */
export async function fileProblem(
  file: string,
  record: UploadRecord,
  result: IsccResult | undefined,
): Promise<string | undefined> {
  const found = await stat(file).catch(() => undefined);
  if (found === undefined) return `the file ${file} is missing`;
  if (found.size !== record.bytes)
    return `${file} has ${found.size} bytes, but its record says ${record.bytes}`;
  if (result === undefined) return undefined;
  const { datahash } = await native.sumFile(file);
  if (datahash === result.datahash) return undefined;
  return `${file} has the digest ${datahash}, but its result says ${result.datahash}`;
}

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
