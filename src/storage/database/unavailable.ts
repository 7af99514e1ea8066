/** Detects an unavailable database, and one that can't be written. */
import { saysFull } from '../data/full.js';
import { ServerRefused, ServerSilent } from './server-refused.js';
import { isLocked } from './sqlite.js';

const SQL_STATES: ReadonlySet<unknown> = new Set([
  // The server shuts down, crashed, starts, has no free connection, or cannot be written at present.
  ...['57P01', '57P02', '57P03', '53300', '25006'],
  // The statement waited too long for a lock, or took too long; the transaction was idle, or could not be serialized.
  ...['55P03', '57014', '25P03', '40001'],
  // The role, its password or the database is being changed.
  ...['28000', '28P01', '3D000'],
]);
/** Class of SQLSTATEs for connection errors. */
const CONNECTION_STATE = /^08[\dA-Z]{3}$/;
const SOCKET_CODES: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT']);
/** Errors of pg without a code. */
const MESSAGES =
  /^Connection terminated|^timeout exceeded when trying to connect|^Query read timeout$|connection error and is not queryable/;

/** Servers of databases and storage restart in some seconds. */
export const UNAVAILABLE_RETRY_SECONDS = 5;

/** Whether a statement failed because the database is unreachable, restarting or locked. A retry may succeed. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // No host can be written until a standby is promoted.
  if (error instanceof ServerRefused || error instanceof ServerSilent) return true;
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (syscall === 'connect' || syscall === 'getaddrinfo' || isLocked(error)) return true;
  if (SQL_STATES.has(code) || SOCKET_CODES.has(code)) return true;
  return code === undefined ? MESSAGES.test(error.message) : CONNECTION_STATE.test(code);
}

/** Of SQLite, and `io_error` and `read_only_sql_transaction` of PostgreSQL. */
const WRITE_FAILURE = /^(?:SQLITE_(?:IOERR|READONLY|CANTOPEN|CORRUPT)\w*|58030|25006)$/;

/** Whether a transaction failed because its storage can't be written. */
export function isWriteFailure(error: unknown): boolean {
  if (saysFull(error)) return true;
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return code !== undefined && WRITE_FAILURE.test(code);
}
