/** Copies the media folder while the service is running. */
import path from 'node:path';
import { Copier } from '../../storage/data/copier.js';
import { FORMAT_FILE } from '../../storage/data/format.js';
import type { Copied, OnStep } from '../../storage/data/port.js';
import { fileOf } from './uploads/media-file.js';
import type { MediaId } from './uploads/media-id.js';
import { RecordKeys } from './uploads/record-keys.js';
import { Records } from './uploads/records.js';

const RECORDS = 'records';
const RECORDS_FILE = path.posix.join(RECORDS, 'data.mdb');
const KEY_FILE = 'uploader.key';

/**
 * The copy contains every upload acknowledged before the start, and each of its records has its file: files are copied
 * before the records and again after them. A record whose file is missing by then was deleted during the backup; it is
 * dropped.
 */
export async function backupCodes(mediaPath: string, target: string, onStep: OnStep): Promise<Copied> {
  const copier = new Copier(mediaPath, target);
  await copier.shareAll('files', onStep);
  const source = path.join(mediaPath, RECORDS);
  const hasRecords = (await copier.names(RECORDS)).includes('data.mdb') && !(await Records.areBlank(source));
  if (hasRecords) await Records.copy(source, path.join(target, RECORDS));
  const records = await Records.open(path.join(target, RECORDS));
  const undigested: string[] = [];
  const counts = { uploads: 0, results: 0 };
  try {
    for (const { id, file, bytes } of filesOf(records)) {
      // A file that was copied while it was written is copied again.
      if ((await copier.bytes(file)) !== bytes) await copier.drop(file);
      if (!(await copier.share(file)) && !(await copier.has(file))) await records.remove(id);
    }
    for (const { id, file } of filesOf(records)) {
      const hasResult = records.findResult(id) !== undefined;
      counts.uploads += 1;
      if (hasResult) counts.results += 1;
      // Results contain the digest of their file, so other files need one in the backup's list.
      else undigested.push(file);
      onStep();
    }
    await dropStrays(copier, records);
  } finally {
    await records.close();
  }
  // The lock file only matters to processes that have the database open.
  await copier.drop(path.join(RECORDS, 'lock.mdb'));
  const keys = await RecordKeys.files(path.join(target, RECORDS));
  const files = [RECORDS_FILE, ...keys.map((file) => path.posix.join(RECORDS, file)), ...undigested];
  for (const file of [KEY_FILE, FORMAT_FILE]) if (await copier.copy(file)) files.push(file);
  await copier.finish();
  return { counts, files, notes: [] };
}

/** The file of each record, by its path in the media folder. */
function* filesOf(records: Records): Generator<{ id: MediaId; file: string; bytes: number }> {
  for (const id of [...records.ids()] as MediaId[]) {
    const record = records.find(id);
    if (record !== undefined) yield { id, file: fileOf('', id, record), bytes: record.bytes };
  }
}

/** Drops files without a record: incomplete uploads, and uploads deleted before the records were copied. */
async function dropStrays(copier: Copier, records: Records): Promise<void> {
  for (const folder of await copier.copiedNames('files')) {
    if (!records.has(folder)) await copier.drop(path.join('files', folder));
  }
}
