/** Checks a media folder or a copy of one. The service may be running. */
import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { Checked, OnProblem, OnStep } from '../../storage/data/port.js';
import { fileOf, fileProblem } from './uploads/media-file.js';
import { isMediaId } from './uploads/media-id.js';
import { Records } from './uploads/records.js';
import type { UploadRecord } from './uploads/records-port.js';

export async function verifyCodes(mediaPath: string, onProblem: OnProblem, onStep: OnStep): Promise<Checked> {
  const folder = path.join(mediaPath, 'records');
  const counts = { uploads: 0, results: 0 };
  if ((await stat(path.join(folder, 'data.mdb')).catch(() => undefined)) === undefined) {
    onProblem('records/data.mdb', 'the file is missing');
    return { counts, notes: [] };
  }
  if (await Records.areBlank(folder)) {
    onProblem('records/data.mdb', 'the file is blank: the power failed before it held a record');
    return { counts, notes: [] };
  }
  const records = Records.openToRead(folder);
  try {
    for (const id of records.ids()) {
      counts.uploads += 1;
      await verifyUpload(id, { records, mediaPath, onProblem });
      onStep();
    }
    for (const id of records.resultIds()) {
      counts.results += 1;
      if (!records.has(id)) onProblem(id, 'the result has no upload record');
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

async function verifyUpload(id: string, { records, mediaPath, onProblem }: Parts): Promise<void> {
  if (!isMediaId(id)) return onProblem(id, 'the key of the record is not a media id');
  const record = readable(() => records.find(id));
  if (!isRecord(record)) {
    // A missing record was deleted since the ids were listed.
    if (record !== undefined || records.has(id)) onProblem(id, 'the upload record is not readable');
    return;
  }
  const result = readable(() => records.findResult(id));
  if (result === UNREADABLE) return onProblem(id, 'the result is not readable');
  const problem = await fileProblem(fileOf(mediaPath, id, record), record, result);
  // Without a record, it was deleted meanwhile.
  if (problem === undefined || !records.has(id)) return;
  onProblem(id, problem);
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
