/** Copies the media folder while the service works on it. */
import path from 'node:path';
import { Copier } from '../data/copier.js';
import { FORMAT_FILE } from '../data/format.js';
import type { Copied, OnStep } from '../data/port.js';
import type { MediaId } from './media-id.js';
import { Records } from './records.js';

const RECORDS = 'records';
const RECORDS_FILE = path.posix.join(RECORDS, 'data.mdb');
const KEY_FILE = 'uploader.key';

/**
 * Every record of the copy has its file, and every upload acknowledged before is in it: files are taken before the
 * records and once more after them. A record whose file is gone by then was deleted meanwhile, and goes too.
 */
export async function backupCodes(mediaPath: string, target: string, onStep: OnStep): Promise<Copied> {
  const copier = new Copier(mediaPath, target);
  await copier.shareAll('files', onStep);
  const hasRecords = (await copier.names(RECORDS)).includes('data.mdb');
  if (hasRecords) await Records.copy(path.join(mediaPath, RECORDS), path.join(target, RECORDS));
  const records = await Records.open(path.join(target, RECORDS));
  const unvouched: string[] = [];
  const counts = { uploads: 0, results: 0 };
  try {
    for (const id of [...records.ids()] as MediaId[]) {
      const record = records.find(id);
      if (record === undefined) continue;
      const file = path.posix.join('files', id, record.filename);
      if (!(await copier.share(file)) && !(await copier.has(file))) {
        await records.remove(id);
        continue;
      }
      const hasResult = records.findResult(id) !== undefined;
      counts.uploads += 1;
      if (hasResult) counts.results += 1;
      // A result has the file's digest.
      else unvouched.push(file);
      onStep();
    }
    await dropStrays(copier, records);
  } finally {
    await records.close();
  }
  // Only for processes that have it open.
  await copier.drop(path.join(RECORDS, 'lock.mdb'));
  const files = [RECORDS_FILE, ...unvouched];
  for (const file of [KEY_FILE, FORMAT_FILE]) if (await copier.copy(file)) files.push(file);
  await copier.finish();
  return { counts, files, notes: [] };
}

/** Files of uploads that got no record, or that were deleted before the records were copied. */
async function dropStrays(copier: Copier, records: Records): Promise<void> {
  for (const folder of await copier.copiedNames('files')) {
    if (!records.has(folder)) await copier.drop(path.join('files', folder));
  }
}
