/** SQLite, through the package libsql with the API of better-sqlite3. Calls are synchronous and short. */
import { existsSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { Kysely, type Logger, type SqliteDatabase, SqliteDialect, type SqliteStatement } from 'kysely';
import Libsql from 'libsql';
import { SharedRuns } from '../../platform/shared-runs.js';
import { saysFull } from '../data/full.js';
import { createPrivate } from '../data/private-file.js';
import type { Tables } from './tables.js';

/** How long a statement waits for another process's write lock. */
const BUSY_MS_MAX = 5000;
const RETRY_MS = 20;
/** Size of the cache of prepared statements. Preparing one takes twice the time of a lookup. */
const STATEMENTS_MAX = 200;

/** SQLite's name for a database without a file. */
const IN_MEMORY = ':memory:';

const BUSY_TIMEOUT = `busy_timeout = ${BUSY_MS_MAX}`;
/** Takes the write lock before the first read. */
const BEGIN_IMMEDIATE = 'begin immediate';
/** Statements that Kysely sends. */
const BEGIN = 'begin';
const COMMIT = 'commit';
const ROLLBACK = 'rollback';
/** Beginnings of statements that write nothing, or end a transaction. */
const READS = /^(select|with|values|pragma|explain|begin|commit|rollback|savepoint|release)\b/i;
const NO_CHANGE = { changes: 0, lastInsertRowid: 0 };
/** FULL: a commit is durable when it returns. WAL: readers and the writer do not block each other. */
const PRAGMAS = [BUSY_TIMEOUT, 'journal_mode = WAL', 'synchronous = FULL', 'foreign_keys = ON'];
/** NORMAL: only checkpoints wait for the disk. A commit that is not on disk is lost as a whole, with those after it. */
const LATER_PRAGMAS = [...PRAGMAS, 'synchronous = NORMAL'];

/** @throws if the file can't be opened */
export function openSqlite(file: string, log?: Logger): Kysely<Tables> {
  // The database has hashes of passwords. SQLite takes an empty file for a new one, and gives files beside it the same rights.
  if (file !== IN_MEMORY) createPrivate(file);
  return kysely(new Writer(connected(file, PRAGMAS)), log);
}

/** Like {@link openSqlite}, but a commit is durable once the {@link LogSync} of the file has run. */
export function openSqliteSyncedLater(file: string): Kysely<Tables> {
  if (file !== IN_MEMORY) createPrivate(file);
  return kysely(new Writer(connected(file, LATER_PRAGMAS)));
}

/** Writes the log of a database to the disk, off the event loop. Commits that wait at the same time share a write. */
export class LogSync {
  readonly #log: string;
  readonly #runs = new SharedRuns(() => this.#sync());
  #file: Promise<FileHandle> | undefined;

  /** @param file of the database, which stays open meanwhile */
  constructor(file: string) {
    this.#log = `${file}-wal`;
  }

  /** Resolves when all commits before the call are on disk. */
  run(): Promise<void> {
    return this.#runs.run();
  }

  async close(): Promise<void> {
    await this.#runs.settle();
    await (await this.#file)?.close();
  }

  async #sync(): Promise<void> {
    // Windows needs the right to write.
    this.#file ??= open(this.#log, 'r+');
    await (await this.#file).datasync();
  }
}

/** Opens a file for reading only, without changing its journal mode. Another process may have it open. */
export function openSqliteReadOnly(file: string): Kysely<Tables> {
  return kysely(new Statements(connectedForReading(file)));
}

function connectedForReading(file: string): Libsql.Database {
  const connection = connected(file, [BUSY_TIMEOUT, 'query_only = ON']);
  try {
    connection.prepare('PRAGMA schema_version').all([]);
    return connection;
  } catch (error) {
    connection.close();
    // On a read-only disk SQLite can't create the files beside a database in WAL mode. Without a log, the file has all
    // commits.
    if (!hasCode(error, /^SQLITE_CANTOPEN/) || existsSync(`${file}-wal`)) throw error;
    return connected(`${pathToFileURL(file).href}?immutable=1`, ['query_only = ON']);
  }
}

/** Opens a file that no other process has open, without changing its journal mode. */
export function openSqliteCopy(file: string): Kysely<Tables> {
  return kysely(new Statements(connected(file, [BUSY_TIMEOUT])));
}

/** Copies the last committed state of a file. Other processes may be writing to it. */
export function copySqlite(file: string, target: string): void {
  createPrivate(target);
  const connection = connected(file, [BUSY_TIMEOUT]);
  try {
    connection.prepare('VACUUM INTO ?').run([target]);
  } finally {
    connection.close();
  }
}

/** Blocks writes to a file in all processes until the returned function is called. */
export function blockWrites(file: string): () => void {
  const connection = connected(file, [BUSY_TIMEOUT]);
  connection.exec('BEGIN IMMEDIATE');
  return () => {
    connection.exec('ROLLBACK');
    connection.close();
  };
}

function connected(file: string, pragmas: readonly string[]): Libsql.Database {
  const connection = new Libsql(file);
  for (const pragma of pragmas) run(connection, `PRAGMA ${pragma}`);
  return connection;
}

/** SQLite's own time-out does not cover the change to WAL, which another process may block while it creates the file. */
function run(connection: Libsql.Database, sql: string): void {
  const deadline = Date.now() + BUSY_MS_MAX;
  for (;;) {
    try {
      const statement = connection.prepare(sql);
      if (statement.reader) statement.all([]);
      else statement.run([]);
      return;
    } catch (error) {
      if (!isLocked(error) || Date.now() > deadline) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
    }
  }
}

function kysely(database: SqliteDatabase, log: Logger = () => {}): Kysely<Tables> {
  return new Kysely<Tables>({ dialect: new SqliteDialect({ database }), log });
}

/** Whether a statement failed because another connection holds a lock. */
export function isLocked(error: unknown): boolean {
  return hasCode(error, /^SQLITE_(BUSY|LOCKED)/);
}

function hasCode(error: unknown, codes: RegExp): boolean {
  return error instanceof Error && 'code' in error && codes.test(String(error.code));
}

/** Caches prepared statements, and returns bytes as Buffers like the driver of PostgreSQL. */
class Statements implements SqliteDatabase {
  protected readonly connection: Libsql.Database;
  readonly #prepared = new Map<string, SqliteStatement>();

  constructor(connection: Libsql.Database) {
    this.connection = connection;
  }

  prepare(sql: string): SqliteStatement {
    const known = this.#prepared.get(sql);
    if (known !== undefined) return known;
    const statement = this.wrap(sql, this.connection.prepare(sql));
    if (this.#prepared.size >= STATEMENTS_MAX) this.#prepared.clear();
    this.#prepared.set(sql, statement);
    return statement;
  }

  close(): void {
    this.#prepared.clear();
    // libsql's close keeps the write-ahead log. If another process is reading now, its own close truncates it.
    try {
      this.connection.prepare('PRAGMA wal_checkpoint(TRUNCATE)').all([]);
    } catch (error) {
      // Another process migrates, or a transaction failed here: then its error must not be hidden by this one. On a full
      // or read-only disk the log keeps the commits.
      if (!isLocked(error) && !saysFull(error) && !hasCode(error, /^SQLITE_READONLY/)) throw error;
    } finally {
      this.connection.close();
    }
  }

  protected wrap(sql: string, statement: Libsql.Statement): SqliteStatement {
    const guarded = <T>(work: () => T): T => {
      try {
        return work();
      } catch (error) {
        // A failed statement may not have been reset.
        this.#prepared.delete(sql);
        throw error;
      }
    };
    // On a full disk SQLite rolls back by itself. A second rollback would fail and hide the cause.
    const isRolledBack = () => sql === ROLLBACK && !this.connection.inTransaction;
    return {
      reader: statement.reader,
      all: (parameters) => guarded(() => (statement.all(parameters) as Row[]).map(withBuffers)),
      run: (parameters) => (isRolledBack() ? NO_CHANGE : guarded(() => statement.run(parameters))),
      iterate: (parameters) => guarded(() => statement.iterate(parameters)) as IterableIterator<unknown>,
    };
  }
}

/**
 * Takes the write lock in a call of its own before each write. A prepared statement that finds the database locked stays
 * in progress: until it is collected, its connection reads an old snapshot and its later writes are not committed.
 */
class Writer extends Statements {
  override prepare(sql: string): SqliteStatement {
    return sql === BEGIN ? this.#begin() : super.prepare(sql);
  }

  protected override wrap(sql: string, prepared: Libsql.Statement): SqliteStatement {
    const statement = super.wrap(sql, prepared);
    if (READS.test(sql)) return statement;
    return {
      ...statement,
      all: (parameters) => this.#locked(() => statement.all(parameters)),
      run: (parameters) => this.#locked(() => statement.run(parameters)),
    };
  }

  #begin(): SqliteStatement {
    const run = () => {
      this.connection.exec(BEGIN_IMMEDIATE);
      return NO_CHANGE;
    };
    return { reader: false, all: () => [], run, iterate: () => [][Symbol.iterator]() };
  }

  /** Runs a write in the transaction that is open, else in its own. */
  #locked<T>(write: () => T): T {
    if (this.connection.inTransaction) return write();
    this.connection.exec(BEGIN_IMMEDIATE);
    try {
      const result = write();
      this.connection.exec(COMMIT);
      return result;
    } catch (error) {
      if (this.connection.inTransaction) this.connection.exec(ROLLBACK);
      throw error;
    }
  }
}

type Row = Record<string, unknown>;

function withBuffers(row: Row): Row {
  for (const [name, value] of Object.entries(row)) {
    if (value instanceof ArrayBuffer) row[name] = Buffer.from(value);
  }
  return row;
}
