/** Detects full disks. */
import { statfs } from 'node:fs/promises';

/** There is not enough space. Nothing of the write is kept, and earlier data is unchanged. */
export class StorageFull extends Error {
  override readonly name = 'StorageFull';
  /** Same code as the OS error, so one check covers both. */
  readonly code = 'ENOSPC';

  constructor(options?: ErrorOptions) {
    super('no space left on the disk', options);
  }
}

/** With less free space than this, a failed write is attributed to a full disk. */
const FREE_MIN_BYTES = 16 * 1024 * 1024;
/** Codes of the operating system (`EFBIG`: the size limit of the process), of SQLite and of PostgreSQL (`disk_full`). */
const FULL_CODES: readonly unknown[] = ['ENOSPC', 'EDQUOT', 'EFBIG', 'SQLITE_FULL', '53100'];

/** Whether an error reports a full disk or an exhausted quota. */
export function saysFull(error: unknown): boolean {
  return error instanceof Error && FULL_CODES.includes((error as NodeJS.ErrnoException).code);
}

/** Whether a database failed to write to `folder` because the disk is full. LMDB reports a short write as EIO. */
export async function storageIsFull(folder: string, error: unknown): Promise<boolean> {
  if (saysFull(error)) return true;
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize < FREE_MIN_BYTES;
}
