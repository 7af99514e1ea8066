/** The file with the API keys of the search service. It holds digests: the keys themselves are shown once, when they are made. */
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { syncPath } from '../../../storage/data/durable.js';
import { makeFolder } from '../../../storage/data/folder.js';
import { FormatRefused } from '../../../storage/data/format.js';
import { KEY_FILE, searchFolder } from '../engine/open.js';
import { NAME_PATTERN } from '../schema.js';
import { RIGHTS, type Right } from './access.js';

const PRIVATE = 0o600;
const KEY_BYTES = 32;
const KEY_PREFIX = 'isk_';
const ID_CHARS = 8;

const storedKey = z.strictObject({
  id: z.string().min(1, 'must not be empty'),
  name: z.string().optional(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/, 'must be the SHA-256 of the key in lower-case hex'),
  rights: z.array(z.enum(RIGHTS, `must be ${RIGHTS.join(', ')}`)).min(1, 'must have at least one right'),
  /** Absent: all. */
  indexes: z
    .array(z.string().regex(NAME_PATTERN, 'must be the name of an index or alias'))
    .min(1, 'must name an index, or be absent for all')
    .optional(),
  created: z.string().optional(),
});

const fileSchema = z.strictObject({ keys: z.array(storedKey) });

/** A key in the file. */
export type StoredKey = z.infer<typeof storedKey>;

/** What a new key may do. */
export interface NewKey {
  readonly name?: string | undefined;
  readonly rights: readonly Right[];
  /** `undefined`: all. */
  readonly indexes?: readonly string[] | undefined;
}

/** The configured file. By default it is in the folder of the indexes, so that a backup contains it. */
export function keyFilePath(
  { keyFile, indexUri }: { readonly keyFile?: string | undefined; readonly indexUri?: string | undefined },
  dataDir: string,
): string {
  const folder = indexUri === undefined ? undefined : searchFolder(indexUri);
  return keyFile ?? path.join(folder ?? path.join(dataDir, 'search'), KEY_FILE);
}

/**
 * All keys; `undefined` if the file does not exist.
 *
 * @throws {FormatRefused} if the file is invalid
 */
export function readKeys(file: string): readonly StoredKey[] | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new FormatRefused(`${file} can't be read: ${message}`);
  }
  const result = fileSchema.safeParse(parsed(text));
  if (result.success) return result.data.keys;
  const { path: at, message } = result.error.issues[0] ?? { path: [], message: 'is not valid' };
  throw new FormatRefused(`${file} is not a file of API keys: ${[...at, message].join(' ')}`);
}

/** Adds a key, durably. Returns its entry, and the key itself, which is stored nowhere. */
export async function createKey(file: string, { name, rights, indexes }: NewKey) {
  const key = `${KEY_PREFIX}${randomBytes(KEY_BYTES).toString('base64url')}`;
  const sha256 = digestOf(key);
  const entry: StoredKey = {
    id: sha256.slice(0, ID_CHARS),
    ...(name !== undefined && { name }),
    sha256,
    rights: RIGHTS.filter((right) => rights.includes(right)),
    ...(indexes !== undefined && { indexes: [...new Set(indexes)] }),
    created: new Date().toISOString(),
  };
  await changeKeys(file, (keys) => [...keys, entry]);
  return { key, entry };
}

/** Removes a key, durably. Returns whether it existed. */
export async function revokeKey(file: string, id: string): Promise<boolean> {
  // A failed command must not create the file, which would close a service without keys.
  if (!readKeys(file)?.some((key) => key.id === id)) return false;
  let isFound = false;
  await changeKeys(file, (keys) => {
    const rest = keys.filter((key) => key.id !== id);
    isFound = rest.length < keys.length;
    return rest;
  });
  return isFound;
}

/** SHA-256 in hex. Keys are random, so that a slow hash would not protect them better. */
export function digestOf(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

/** The draft is also the lock: of two commands, the later one fails. */
async function changeKeys(
  file: string,
  change: (keys: readonly StoredKey[]) => readonly StoredKey[],
): Promise<void> {
  makeFolder(path.dirname(file));
  const draft = `${file}.new`;
  const handle = await open(draft, 'wx', PRIVATE).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
    throw new FormatRefused(`${draft} exists: another command is changing the keys; if none is, delete it`);
  });
  try {
    const keys = change(readKeys(file) ?? []);
    await handle.writeFile(`${JSON.stringify({ keys }, undefined, 2)}\n`);
    await handle.sync();
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
  await syncPath(path.dirname(file));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
