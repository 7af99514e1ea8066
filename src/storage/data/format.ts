/**
 * Format version of a data directory: one line in its file `FORMAT`, such as `isccd store 1`. An older directory is
 * migrated before anything in it is opened; a newer one is refused and not changed.
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { absent } from './absent.js';
import { replaceDurably } from './durable.js';

export type DataKind = 'codes' | 'search' | 'store';

/** Migrates a directory to the next version. Runs again if it was interrupted. */
type MigrationStep = (folder: string) => Promise<void>;

/** Begins a new directory. */
const begin: MigrationStep = async () => {};

/** Step `n` migrates from version `n` to `n + 1`. A directory without the file has version 0. */
const STEPS: Readonly<Record<DataKind, readonly MigrationStep[]>> = {
  codes: [begin],
  search: [begin],
  store: [begin],
};

export const DATA_KINDS = Object.keys(STEPS) as DataKind[];

/** Name of the file in each data directory. */
export const FORMAT_FILE = 'FORMAT';
const LINE = /^isccd (codes|search|store) (\d{1,9})\n?$/;

/** Data that this program must not change. The message is one line and says what to do. */
export class FormatRefused extends Error {
  override readonly name = 'FormatRefused';

  /** The data at `place` has a newer version than this program supports. */
  static newer(place: string, found: number, known: number): FormatRefused {
    return new FormatRefused(
      `${place} has format ${found}, but this program supports formats up to ${known}: a newer isccd wrote it. ` +
        'Start that version, or restore a backup made by this one',
    );
  }
}

/** The version that this program writes. */
export function knownFormat(kind: DataKind): number {
  return STEPS[kind].length;
}

/**
 * Migrates an existing directory. An empty one gets the current version.
 *
 * @throws {FormatRefused} if the directory has a newer version or belongs to another service
 */
export async function prepareData(kind: DataKind, folder: string): Promise<void> {
  const version = await readFormat(kind, folder);
  const known = knownFormat(kind);
  if (version === known) return;
  for (const step of STEPS[kind].slice(version)) await step(folder);
  await writeFormat(kind, folder, known);
}

/**
 * The directory's version; 0 without a `FORMAT` file.
 *
 * @throws {FormatRefused} if the directory has a newer version or belongs to another service
 */
export async function readFormat(kind: DataKind, folder: string): Promise<number> {
  const found = await formatOf(folder);
  if (found === undefined) return 0;
  if (found.kind !== kind) {
    throw new FormatRefused(`${folder} is the data directory of the service ${found.kind}, not of ${kind}`);
  }
  if (found.version > knownFormat(kind)) throw FormatRefused.newer(folder, found.version, knownFormat(kind));
  return found.version;
}

/** Content of a directory's `FORMAT` file; `undefined` if it does not exist. */
export async function formatOf(folder: string): Promise<{ kind: DataKind; version: number } | undefined> {
  const file = path.join(folder, FORMAT_FILE);
  const text = await readFile(file, 'utf8').catch(absent);
  if (text === undefined) return undefined;
  const [, kind, version] = LINE.exec(text) ?? [];
  if (kind === undefined) {
    throw new FormatRefused(
      `${file} must contain a line like "isccd store 1", but contains ${JSON.stringify(text)}`,
    );
  }
  return { kind: kind as DataKind, version: Number(version) };
}

/** Several processes may do this concurrently. */
function writeFormat(kind: DataKind, folder: string, version: number): Promise<void> {
  return replaceDurably(path.join(folder, FORMAT_FILE), `isccd ${kind} ${version}\n`);
}
