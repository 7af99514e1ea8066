/** The file of an upload in a media folder. */
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { native } from '../../../native.js';
import type { IsccResult } from '../result.js';
import type { MediaId } from './media-id.js';
import type { UploadRecord } from './records-port.js';

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
