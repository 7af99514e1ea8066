/**
 * A folder that one process uses: it holds the lock of the file `LOCK` there. The lock is one of SQLite, which ends with
 * its process and holds between machines, if the network file system has locks.
 */
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import Libsql from 'libsql';
import { failureReason } from '../../platform/failure-reason.js';
import { FormatRefused } from './format.js';

export const LOCK_FILE = 'LOCK';

/** A process that stops may still hold the lock when its successor starts. */
const WAIT_MS_MAX = 3_000;
const RETRY_MS = 50;

/**
 * Locks a folder and returns the function that ends the lock.
 *
 * @param hint what the operator can do
 * @throws {FormatRefused} if another process has the lock
 */
export async function lockFolder(folder: string, hint: string): Promise<() => void> {
  const connection = opened(folder);
  const deadline = performance.now() + WAIT_MS_MAX;
  try {
    while (!isTaken(connection)) {
      if (performance.now() > deadline)
        throw new FormatRefused(`${folder} is in use by another process; ${hint}`);
      await pause(RETRY_MS);
    }
  } catch (error) {
    connection.close();
    throw error;
  }
  return () => {
    if (!connection.open) return;
    // A connection with an open transaction outlives its close.
    connection.exec('ROLLBACK');
    connection.close();
  };
}

function opened(folder: string): Libsql.Database {
  const file = path.join(folder, LOCK_FILE);
  try {
    return new Libsql(file);
  } catch (error) {
    throw new Error(`${file} cannot be opened: ${failureReason(error)}`, { cause: error });
  }
}

function isTaken(connection: Libsql.Database): boolean {
  try {
    // Nothing is ever written: no file for a journal is needed.
    connection.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'SQLITE_BUSY') return false;
    throw error;
  }
}
