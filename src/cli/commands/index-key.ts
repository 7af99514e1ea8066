/** `isccd index key ...`: API keys of the search service, whether it runs or not. */
import { commonVariables } from '../../platform/config/common.js';
import { environment } from '../../platform/config/env.js';
import { searchVariables } from '../../platform/config/search.js';
import { readVariables } from '../../platform/config/variable.js';
import { RIGHTS, type Right } from '../../services/search/keys/access.js';
import {
  createKey,
  keyFilePath,
  readKeys,
  revokeKey,
  type StoredKey,
} from '../../services/search/keys/key-file.js';
import { NAME_PATTERN } from '../../services/search/schema.js';
import { CommandFailed, EXIT_CONFIGURATION } from '../terminal/failure.js';
import { printJson } from '../terminal/lines.js';

interface Where {
  /** Default: as the service is configured. */
  readonly file?: string;
}

export interface CreateOptions extends Where {
  readonly name?: string;
  /** Separated by commas. */
  readonly rights: string;
  /** Separated by commas. Default: all. */
  readonly indexes?: string;
}

/** Makes a key. It is printed once; the file holds its digest. */
export async function create({ name, rights, indexes, ...where }: CreateOptions): Promise<void> {
  const names = indexes === undefined ? undefined : namesOf(indexes);
  const wanted = { name, rights: rightsOf(rights), indexes: names };
  const { key, entry } = await createKey(fileOf(where), wanted);
  printJson({ key, ...shown(entry) });
}

/** Prints all keys without their digests, one per line. */
export async function list(where: Where): Promise<void> {
  const keys = readKeys(fileOf(where));
  // The configured file is created with the first key.
  if (keys === undefined && where.file !== undefined) throw new CommandFailed(`${where.file} does not exist`);
  for (const entry of keys ?? []) printJson(shown(entry));
}

/** Removes a key. A running service refuses it within a second. */
export async function revoke(id: string, where: Where): Promise<void> {
  const file = fileOf(where);
  const isFound = await revokeKey(file, id);
  if (!isFound) throw new CommandFailed(`${file} contains no key ${id}`);
}

function fileOf({ file }: Where): string {
  if (file !== undefined) return file;
  const given = environment();
  const { keyFile, indexUri } = searchVariables;
  const { dataDir } = readVariables(commonVariables, given);
  return keyFilePath(readVariables({ keyFile, indexUri }, given), dataDir);
}

function shown({ sha256: _, ...entry }: StoredKey): Omit<StoredKey, 'sha256'> {
  return entry;
}

function rightsOf(list: string): Right[] {
  return wordsOf(list).map((word) => {
    const right = RIGHTS.find((known) => known === word);
    if (right === undefined)
      throw new CommandFailed(`--rights: ${word} is not one of ${RIGHTS.join(', ')}`, EXIT_CONFIGURATION);
    return right;
  });
}

function namesOf(list: string): string[] {
  const names = wordsOf(list);
  const wrong = names.find((name) => !NAME_PATTERN.test(name));
  if (names.length === 0)
    throw new CommandFailed('--indexes names no index; leave it out for all', EXIT_CONFIGURATION);
  if (wrong !== undefined)
    throw new CommandFailed(`--indexes: ${wrong} is not a name of an index`, EXIT_CONFIGURATION);
  return names;
}

function wordsOf(list: string): string[] {
  return list
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
}
