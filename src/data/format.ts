/**
 * The version of what is in a data directory: one line in its file `FORMAT`, such as `isccd store 1`. An older
 * directory is brought up to date before anything in it is opened; a newer one is left alone.
 */
import { randomBytes } from 'node:crypto';
import { readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { syncPath, writeDurably } from './durable.js';

export type DataKind = 'codes' | 'search' | 'store';

/** Brings a directory from the version before to the next. Interrupted at any point, it is run again. */
type Step = (folder: string) => Promise<void>;

/** Up to version 0.1.0 no directory told its version; what they held is what version 1 holds. */
const nameTheVersion: Step = async () => {};

/** The step at `n` leads from version `n` to `n + 1`; a directory without the file has version 0. */
const STEPS: Readonly<Record<DataKind, readonly Step[]>> = {
  codes: [nameTheVersion],
  search: [nameTheVersion],
  store: [nameTheVersion],
};

export const DATA_KINDS = Object.keys(STEPS) as DataKind[];

/** In each data directory. */
export const FORMAT_FILE = 'FORMAT';
const LINE = /^isccd (codes|search|store) (\d{1,9})\n?$/;

/** Data that this program must not touch. The message says what to do, in one line. */
export class FormatRefused extends Error {
  override readonly name = 'FormatRefused';

  /** What is at `place` has a version that comes after all that this program knows. */
  static newer(place: string, found: number, known: number): FormatRefused {
    return new FormatRefused(
      `${place} has format ${found}, this program knows up to ${known}: a newer isccd has written it; ` +
        'start that one, or restore a backup that this one made',
    );
  }
}

/** The version that this program writes. */
export function knownFormat(kind: DataKind): number {
  return STEPS[kind].length;
}

/**
 * Brings an existing directory up to date. An empty one gets the version of today.
 *
 * @throws {FormatRefused} if it is a newer one, or one of another service
 */
export async function prepareData(kind: DataKind, folder: string): Promise<void> {
  const version = await readFormat(kind, folder);
  const known = knownFormat(kind);
  if (version === known) return;
  for (const step of STEPS[kind].slice(version)) await step(folder);
  await writeFormat(kind, folder, known);
}

/**
 * The directory's version; 0 if it does not tell.
 *
 * @throws {FormatRefused} if it is a newer one, or one of another service
 */
export async function readFormat(kind: DataKind, folder: string): Promise<number> {
  const found = await formatOf(folder);
  if (found === undefined) return 0;
  if (found.kind !== kind) {
    throw new FormatRefused(`${folder} is the data of the service ${found.kind}, not of ${kind}`);
  }
  if (found.version > knownFormat(kind)) throw FormatRefused.newer(folder, found.version, knownFormat(kind));
  return found.version;
}

/** What a directory says of itself; `undefined` if nothing. */
export async function formatOf(folder: string): Promise<{ kind: DataKind; version: number } | undefined> {
  const file = path.join(folder, FORMAT_FILE);
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const [, kind, version] = LINE.exec(text) ?? [];
  if (kind === undefined) {
    throw new FormatRefused(`${file} must be a line like "isccd store 1", but is ${JSON.stringify(text)}`);
  }
  return { kind: kind as DataKind, version: Number(version) };
}

/** Several processes may do so at once: each puts the same whole line in place. */
async function writeFormat(kind: DataKind, folder: string, version: number): Promise<void> {
  const file = path.join(folder, FORMAT_FILE);
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    await writeDurably(draft, `isccd ${kind} ${version}\n`);
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  await syncPath(folder);
}
