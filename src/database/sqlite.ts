/** SQLite through libsql, which speaks better-sqlite3's language. Calls are synchronous; each is short. */
import { Kysely, type Logger, type SqliteDatabase, SqliteDialect, type SqliteStatement } from 'kysely';
import Libsql from 'libsql';
import type { Tables } from './tables.js';

/** How long a statement waits for another process's write. */
const BUSY_MS_MAX = 5000;
/** Prepared statements that are kept; preparing costs twice what a lookup does. */
const STATEMENTS_MAX = 200;

const WAITING = `busy_timeout = ${BUSY_MS_MAX}`;
/** As Kysely has it. */
const ROLLBACK = 'rollback';
const NO_CHANGE = { changes: 0, lastInsertRowid: 0 };
/** FULL: a commit is on the disk when it returns. WAL: readers and the one writer don't wait for each other. */
const PRAGMAS = [WAITING, 'journal_mode = WAL', 'synchronous = FULL', 'foreign_keys = ON'];

/** @throws if the file can't be opened */
export function openSqlite(file: string, log?: Logger): Kysely<Tables> {
  return kysely(connected(file, PRAGMAS), log);
}

/** A file that is only read, and left in the form it has: another process's, or a copy. */
export function openSqliteBeside(file: string): Kysely<Tables> {
  return kysely(connected(file, [WAITING, 'query_only = ON']));
}

/** A file that nobody else has open, left in the form it has. */
export function openSqliteCopy(file: string): Kysely<Tables> {
  return kysely(connected(file, [WAITING]));
}

/** Makes a file with the last committed state of another, which others may be writing to. */
export function copySqlite(file: string, target: string): void {
  const connection = connected(file, [WAITING]);
  try {
    connection.prepare('VACUUM INTO ?').run([target]);
  } finally {
    connection.close();
  }
}

/** Lets nobody write to a file, in any process, until the function that it gives is called. */
export function holdWrites(file: string): () => void {
  const connection = connected(file, [WAITING]);
  connection.exec('BEGIN IMMEDIATE');
  return () => {
    connection.exec('ROLLBACK');
    connection.close();
  };
}

function connected(file: string, pragmas: readonly string[]): Libsql.Database {
  const connection = new Libsql(file);
  for (const pragma of pragmas) {
    const statement = connection.prepare(`PRAGMA ${pragma}`);
    if (statement.reader) statement.all([]);
    else statement.run([]);
  }
  return connection;
}

function kysely(connection: Libsql.Database, log: Logger = () => {}): Kysely<Tables> {
  return new Kysely<Tables>({ dialect: new SqliteDialect({ database: new Statements(connection) }), log });
}

/** Keeps statements prepared and gives bytes as Buffers, as PostgreSQL's driver does. */
class Statements implements SqliteDatabase {
  readonly #connection: Libsql.Database;
  readonly #prepared = new Map<string, SqliteStatement>();

  constructor(connection: Libsql.Database) {
    this.#connection = connection;
  }

  prepare(sql: string): SqliteStatement {
    const known = this.#prepared.get(sql);
    if (known !== undefined) return known;
    const statement = this.#wrap(sql, this.#connection.prepare(sql));
    if (this.#prepared.size >= STATEMENTS_MAX) this.#prepared.clear();
    this.#prepared.set(sql, statement);
    return statement;
  }

  close(): void {
    this.#prepared.clear();
    // libsql's own close leaves the log beside the file. If another process reads, it does so when it closes.
    this.#connection.prepare('PRAGMA wal_checkpoint(TRUNCATE)').all([]);
    this.#connection.close();
  }

  #wrap(sql: string, statement: Libsql.Statement): SqliteStatement {
    const guarded = <T>(work: () => T): T => {
      try {
        return work();
      } catch (error) {
        // A statement that failed half way may not be reset.
        this.#prepared.delete(sql);
        throw error;
      }
    };
    // SQLite rolls back by itself where a disk is full; a second time would fail, and hide why.
    const isOver = () => sql === ROLLBACK && !this.#connection.inTransaction;
    return {
      reader: statement.reader,
      all: (parameters) => guarded(() => (statement.all(parameters) as Row[]).map(withBuffers)),
      run: (parameters) => (isOver() ? NO_CHANGE : guarded(() => statement.run(parameters))),
      iterate: (parameters) => guarded(() => statement.iterate(parameters)) as IterableIterator<unknown>,
    };
  }
}

type Row = Record<string, unknown>;

function withBuffers(row: Row): Row {
  for (const [name, value] of Object.entries(row)) {
    if (value instanceof ArrayBuffer) row[name] = Buffer.from(value);
  }
  return row;
}
