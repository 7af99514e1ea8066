/** Checks a media folder, or a copy of one, also while the service works on it. */
import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { Checked, OnProblem, OnStep } from '../data/port.js';
import { native } from '../native.js';
import { MEDIA_ID_PATTERN, type MediaId } from './media-id.js';
import { Records, type UploadRecord } from './records.js';

export async function verifyCodes(mediaPath: string, onProblem: OnProblem, onStep: OnStep): Promise<Checked> {
  const folder = path.join(mediaPath, 'records');
  const counts = { uploads: 0, results: 0 };
  if ((await stat(path.join(folder, 'data.mdb')).catch(() => undefined)) === undefined) {
    onProblem('records/data.mdb', 'the records are there');
    return { counts, notes: [] };
  }
  const records = Records.openToRead(folder);
  try {
    for (const id of records.ids()) {
      counts.uploads += 1;
      await verifyUpload(id as MediaId, { records, mediaPath, onProblem });
      onStep();
    }
    for (const id of records.resultIds()) {
      counts.results += 1;
      if (!records.has(id)) onProblem(id, 'a result belongs to an upload, but there is no record of it');
    }
  } finally {
    await records.close();
  }
  return { counts, notes: [] };
}

interface Parts {
  readonly records: Records;
  readonly mediaPath: string;
  readonly onProblem: OnProblem;
}

async function verifyUpload(id: MediaId, { records, mediaPath, onProblem }: Parts): Promise<void> {
  if (!MEDIA_ID_PATTERN.test(id)) onProblem(id, 'the key of a record is a media id');
  const record = readable(() => records.find(id));
  if (!isRecord(record)) {
    // Deleted since the ids were listed.
    if (record !== undefined || records.has(id)) onProblem(id, 'the record of an upload is readable');
    return;
  }
  const file = path.join(mediaPath, 'files', id, record.filename);
  const found = await stat(file).catch(() => undefined);
  if (found === undefined) {
    if (records.has(id)) onProblem(id, `the file of an upload is there, but ${file} is not`);
    return;
  }
  if (found.size !== record.bytes) {
    onProblem(id, `a file has the size of its record (${record.bytes} bytes), but ${file} has ${found.size}`);
    return;
  }
  const result = readable(() => records.findResult(id));
  if (result === UNREADABLE) return onProblem(id, 'the result of an upload is readable');
  if (result === undefined) return;
  const { datahash } = await native.sumFile(file);
  if (datahash !== result.datahash) {
    onProblem(id, `a file has the digest of its result (${result.datahash}), but ${file} has ${datahash}`);
  }
}

const UNREADABLE = Symbol('unreadable');

function readable<T>(read: () => T): T | typeof UNREADABLE {
  try {
    return read();
  } catch {
    return UNREADABLE;
  }
}

function isRecord(record: UploadRecord | undefined | typeof UNREADABLE): record is UploadRecord {
  return (
    typeof record === 'object' &&
    typeof record.filename === 'string' &&
    path.basename(record.filename) === record.filename &&
    typeof record.bytes === 'number' &&
    typeof record.createdAt === 'number'
  );
}
