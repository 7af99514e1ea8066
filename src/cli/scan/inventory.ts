/** The inventory of a scan: a row for every file, as a table in CSV and as a database. */
import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import Libsql from 'libsql';
import { csvField } from '../../platform/csv.js';
import type { Failure } from '../batch/run.js';
import { CommandFailed, reason } from '../terminal/failure.js';
import { type Group, headOf, UNIT_TYPES } from './groups.js';
import type { ScannedFile } from './records.js';
import { replaceFile } from './replace-file.js';

/** A name of a file. */
export interface InventoryEntry {
  readonly path: string;
  /** False if there is no such file; not defined for further names of files. */
  readonly isFile?: boolean;
  /** Absent if it could not be read. */
  readonly file?: ScannedFile | undefined;
  readonly failure?: Failure | undefined;
  /** The first name of the same file: of hard links, and of links. */
  readonly sameFileAs?: string | undefined;
}

type Value = string | number | undefined;

const INSTANCE = 4;

/** Names and types of the columns. Groups have a number if they have several files. */
const COLUMNS = {
  path: 'TEXT',
  same_file_as: 'TEXT',
  bytes: 'INTEGER',
  modified: 'TEXT',
  scanned: 'TEXT',
  mediatype: 'TEXT',
  mode: 'TEXT',
  title: 'TEXT',
  iscc: 'TEXT',
  meta_code: 'TEXT',
  semantic_code: 'TEXT',
  content_code: 'TEXT',
  data_code: 'TEXT',
  instance_code: 'TEXT',
  datahash: 'TEXT',
  instance_group: 'INTEGER',
  data_group: 'INTEGER',
  content_cluster: 'INTEGER',
  film_of: 'TEXT',
  error: 'TEXT',
  detail: 'TEXT',
} as const;

type Row = Readonly<Record<keyof typeof COLUMNS, Value>>;

/**
 * Writes `inventory.csv` and `inventory.sqlite`.
 *
 * @param films the picture of each film of a Live Photo
 * @throws {CommandFailed}
 */
export async function writeInventory(
  folder: string,
  entries: readonly InventoryEntry[],
  groups: readonly Group[],
  films: ReadonlyMap<ScannedFile, ScannedFile>,
): Promise<void> {
  const rows = rowsOf(entries, groups, films);
  await replaceFile(path.join(folder, 'inventory.csv'), csvLines(rows));
  await replaceDatabase(path.join(folder, 'inventory.sqlite'), rows);
}

function rowsOf(
  entries: readonly InventoryEntry[],
  groups: readonly Group[],
  films: ReadonlyMap<ScannedFile, ScannedFile>,
): Row[] {
  const files = entries.flatMap(({ file, sameFileAs }) => (file && sameFileAs === undefined ? [file] : []));
  const instances = numbers(files, ({ datahash }) => datahash);
  const data = numbers(files, (file) => unitOf(file, UNIT_TYPES.data) ?? '');
  const clusters = new Map<string, number>();
  const near = groups.filter(({ kind }) => kind === 'near-duplicates');
  for (const [at, { members }] of near.entries())
    for (const { file } of members) clusters.set(file.datahash, at + 1);
  return entries.map(({ path: name, file, failure, sameFileAs }) => ({
    path: name,
    same_file_as: sameFileAs,
    bytes: file?.bytes,
    modified: date(file?.modifiedMs),
    scanned: date(file?.scannedMs),
    mediatype: file?.mediatype,
    mode: file?.mode,
    title: file?.title,
    iscc: file?.iscc,
    meta_code: unitOf(file, UNIT_TYPES.meta),
    semantic_code: unitOf(file, UNIT_TYPES.semantic),
    content_code: unitOf(file, UNIT_TYPES.content),
    data_code: unitOf(file, UNIT_TYPES.data),
    instance_code: unitOf(file, INSTANCE),
    datahash: file?.datahash,
    instance_group: instances.get(file?.datahash ?? ''),
    data_group: data.get(unitOf(file, UNIT_TYPES.data) ?? ''),
    content_cluster: clusters.get(file?.datahash ?? ''),
    film_of: file && films.get(file)?.path,
    error: failure?.code,
    detail: failure?.detail,
  }));
}

/** Numbers from 1 of the keys that several files have. */
function numbers(
  files: readonly ScannedFile[],
  key: (file: ScannedFile) => string,
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const file of files) counts.set(key(file), (counts.get(key(file)) ?? 0) + 1);
  const shared = [...counts].filter(([name, count]) => name !== '' && count > 1);
  return new Map(shared.map(([name], at) => [name, at + 1]));
}

function unitOf(file: ScannedFile | undefined, main: number): string | undefined {
  return file?.allUnits.find((unit) => headOf(unit).main === main);
}

function date(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(ms).toISOString();
}

/** RFC 4180. */
function* csvLines(rows: readonly Row[]): Generator<string> {
  const names = Object.keys(COLUMNS) as (keyof Row)[];
  yield `${names.join(',')}\r\n`;
  for (const row of rows) yield `${names.map((name) => csvField(row[name])).join(',')}\r\n`;
}

async function replaceDatabase(file: string, rows: readonly Row[]): Promise<void> {
  const draft = `${file}.tmp`;
  try {
    await rm(draft, { force: true });
    fillDatabase(draft, rows);
    await rename(draft, file);
  } catch (error) {
    throw new CommandFailed(`${file} can't be written: ${reason(error)}`);
  }
}

/** A call of the database takes longer than storing a row. */
const ROWS_PER_INSERT = 100;

function fillDatabase(file: string, rows: readonly Row[]): void {
  const names = Object.keys(COLUMNS) as (keyof Row)[];
  const database = new Libsql(file);
  try {
    const columns = names.map((name) => `${name} ${COLUMNS[name]}`).join(', ');
    // A new file, which is renamed when it is complete.
    database.exec(
      `PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; CREATE TABLE files (${columns}); BEGIN`,
    );
    const row = `(${names.map(() => '?').join(', ')})`;
    const insert = (count: number) =>
      database.prepare(`INSERT INTO files VALUES ${Array<string>(count).fill(row).join(', ')}`);
    const many = insert(ROWS_PER_INSERT);
    for (let at = 0; at < rows.length; at += ROWS_PER_INSERT) {
      const block = rows.slice(at, at + ROWS_PER_INSERT);
      const statement = block.length === ROWS_PER_INSERT ? many : insert(block.length);
      statement.run(block.flatMap((one) => names.map((name) => one[name] ?? null)));
    }
    database.exec('COMMIT');
  } finally {
    database.close();
  }
}
