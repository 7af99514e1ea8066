/** The folder of a scan: one process at a time uses it. */
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { makeFolder } from '../../storage/data/folder.js';
import { lockFolder } from '../../storage/data/folder-lock.js';
import { CommandFailed, EXIT_CONFIGURATION, reason } from '../terminal/failure.js';
import { RECORDS_FILE, ScanRecords } from './records.js';
import { REPORT_CSV, REPORT_HTML } from './reports.js';

/** Makes the folder if it is missing, and passes its records to `work`. @throws {CommandFailed} if it can't be used */
export async function withOutput<T>(folder: string, work: (records: ScanRecords) => Promise<T>): Promise<T> {
  await makeOutput(folder);
  const unlock = await lockFolder(folder, 'wait until the other scan ends, or choose another --out');
  try {
    const records = new ScanRecords(folder);
    try {
      return await work(records);
    } finally {
      records.close();
    }
  } finally {
    unlock();
  }
}

/** Like {@link withOutput}, for a folder that an earlier scan has made. */
export async function withScanned<T>(folder: string, work: (records: ScanRecords) => Promise<T>): Promise<T> {
  const found = await stat(path.join(folder, RECORDS_FILE)).catch(() => undefined);
  if (found === undefined) throw new CommandFailed(`${folder} is not a folder of isccd scan`);
  return withOutput(folder, work);
}

async function makeOutput(folder: string): Promise<void> {
  if (folder === '') throw new CommandFailed('--out must name a folder', EXIT_CONFIGURATION);
  try {
    makeFolder(folder);
  } catch (error) {
    throw new CommandFailed(`--out must name a folder that can be written: ${reason(error)}`);
  }
  for (const report of [REPORT_CSV, REPORT_HTML].map((name) => path.join(folder, name))) {
    const found = await stat(report).catch(() => undefined);
    if (found?.isDirectory()) throw new CommandFailed(`${report} is a folder; choose another --out`);
  }
}
