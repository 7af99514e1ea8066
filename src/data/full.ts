/** Telling a full disk from a broken one. */
import { statfs } from 'node:fs/promises';

/** There is no room for what is to be stored. Nothing of it is kept, and what was stored before is as it was. */
export class StorageFull extends Error {
  override readonly name = 'StorageFull';
  /** As the system has it, so that one question is enough for both. */
  readonly code = 'ENOSPC';

  constructor(options?: ErrorOptions) {
    super('no space left on the disk', options);
  }
}

/** With less room than this a write that failed is taken to have failed for it. */
const ROOM_MIN_BYTES = 16 * 1024 * 1024;
/** Of the system, of SQLite, and of PostgreSQL (`disk_full`). */
const FULL_CODES: readonly unknown[] = ['ENOSPC', 'EDQUOT', 'SQLITE_FULL', '53100'];

/** Whether an error says that the disk, or the user's part of it, is full. */
export function saysFull(error: unknown): boolean {
  return error instanceof Error && FULL_CODES.includes((error as NodeJS.ErrnoException).code);
}

/** Whether a database could not write to its `folder` because there is no room: it reports a short write as EIO. */
export async function storageIsFull(folder: string, error: unknown): Promise<boolean> {
  if (saysFull(error)) return true;
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize < ROOM_MIN_BYTES;
}
