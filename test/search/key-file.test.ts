/** The file of API keys: where it is, what it holds, and how changes, damage and concurrent commands are treated. */
import { mkdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Access, type Right } from '../../src/services/search/keys/access.js';
import { ApiKeys } from '../../src/services/search/keys/api-keys.js';
import {
  createKey,
  digestOf,
  keyFilePath,
  readKeys,
  revokeKey,
} from '../../src/services/search/keys/key-file.js';
import { FormatRefused } from '../../src/storage/data/format.js';
import { temporaryFolder } from '../codes/support/folder.js';

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await temporaryFolder();
  file = path.join(folder, 'search', 'keys.json');
});

describe('the path', () => {
  test.each([
    [{}, '/data/search/keys.json'],
    [{ indexUri: 'lmdb:///indexes' }, '/indexes/keys.json'],
    [{ indexUri: 'memory://' }, '/data/search/keys.json'],
    [{ indexUri: 'lmdb:///indexes', keyFile: '/other.json' }, '/other.json'],
  ])('with %j is %s', (config, expected) => {
    expect(keyFilePath(config, '/data')).toBe(expected);
  });
});

describe('a new key', () => {
  test('is in the file with its digest only, for its owner only', async () => {
    const rights: readonly Right[] = ['admin', 'read', 'read'];
    const { key, entry } = await createKey(file, { rights, indexes: ['b', 'a', 'b'], name: '' });
    expect(key).toMatch(/^isk_[\w-]{43}$/);
    expect(entry).toEqual({
      id: digestOf(key).slice(0, 8),
      name: '',
      sha256: digestOf(key),
      rights: ['read', 'admin'],
      indexes: ['b', 'a'],
      created: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    });
    expect(readKeys(file)).toEqual([entry]);
    expect(await readFile(file, 'utf8')).toBe(`${JSON.stringify({ keys: [entry] }, undefined, 2)}\n`);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  test('without name and indexes has neither', async () => {
    const { entry } = await createKey(file, { rights: ['read'] });
    expect(Object.keys(entry)).toEqual(['id', 'sha256', 'rights', 'created']);
  });
});

test('a revoked key is removed, an unknown one is not found', async () => {
  const [first, second] = [
    await createKey(file, { rights: ['read'] }),
    await createKey(file, { rights: ['write'] }),
  ];
  expect(await revokeKey(file, 'unknown')).toBe(false);
  expect(readKeys(file)).toHaveLength(2);
  expect(await revokeKey(file, first.entry.id)).toBe(true);
  expect(readKeys(file)).toEqual([second.entry]);
});

test('revoking an unknown key creates no file, which would close a service without keys', async () => {
  const none = path.join(path.dirname(file), 'none', 'keys.json');
  expect(await revokeKey(none, 'unknown')).toBe(false);
  expect(readKeys(none)).toBeUndefined();
});

test('of two commands at once, the later one is refused', async () => {
  await createKey(file, { rights: ['read'] });
  await writeFile(`${file}.new`, '');
  await expect(createKey(file, { rights: ['read'] })).rejects.toThrow(
    new FormatRefused(`${file}.new exists: another command is changing the keys; if none is, delete it`),
  );
  expect(readKeys(file)).toHaveLength(1);
});

test('a change that fails leaves no draft', async () => {
  await mkdir(file, { recursive: true });
  await expect(createKey(file, { rights: ['read'] })).rejects.toThrow(`${file} can't be read: EISDIR`);
  await expect(stat(`${file}.new`)).rejects.toThrow('ENOENT');
});

test('a draft that can not be created for another reason is that error', async () => {
  const long = path.join(folder, 'x'.repeat(252));
  await expect(createKey(long, { rights: ['read'] })).rejects.toThrow('ENAMETOOLONG');
});

describe('reading', () => {
  const valid = { id: 'x', sha256: 'a'.repeat(64), rights: ['read'] };
  const refusal = (content: unknown) => {
    try {
      return readKeys(file) ?? content;
    } catch (error) {
      return error instanceof FormatRefused ? error.message : error;
    }
  };

  test('a file that does not exist has no keys', async () => {
    expect(readKeys(file)).toBeUndefined();
    await writeFile(path.join(folder, 'search'), 'not a folder');
    expect(readKeys(file)).toBeUndefined();
  });

  test.each([
    [{ ...valid, id: '' }, 'keys 0 id must not be empty'],
    [{ ...valid, rights: ['reed'] }, 'keys 0 rights 0 must be read, write, admin'],
    [{ ...valid, rights: [] }, 'keys 0 rights must have at least one right'],
    [
      { ...valid, sha256: `${'a'.repeat(64)}b` },
      'keys 0 sha256 must be the SHA-256 of the key in lower-case hex',
    ],
    [
      { ...valid, sha256: `x${'a'.repeat(64)}` },
      'keys 0 sha256 must be the SHA-256 of the key in lower-case hex',
    ],
    [{ ...valid, indexes: [] }, 'keys 0 indexes must name an index, or be absent for all'],
    [{ ...valid, indexes: ['A b'] }, 'keys 0 indexes 0 must be the name of an index or alias'],
  ])('%j is refused', async (key, rule) => {
    await mkdir(path.dirname(file));
    await writeFile(file, JSON.stringify({ keys: [key] }));
    expect(refusal(key)).toBe(`${file} is not a file of API keys: ${rule}`);
  });

  test('a file that is not JSON is refused', async () => {
    await mkdir(path.dirname(file));
    await writeFile(file, '{');
    expect(refusal(undefined)).toMatch(/is not a file of API keys: .*expected object/);
  });
});

describe('a running service', () => {
  beforeEach(() => vi.useFakeTimers({ toFake: ['performance'] }));
  afterEach(() => vi.useRealTimers());

  test('reads a changed file after a second, and reports each damage once', async () => {
    const problems: unknown[] = [];
    const { key } = await createKey(file, { rights: ['read'] });
    const keys = new ApiKeys(undefined, file, (error) => problems.push(error));
    const second = await createKey(file, { rights: ['write'] });
    vi.advanceTimersByTime(999);
    expect(() => keys.access(second.key)).toThrow('Unauthorized');
    vi.advanceTimersByTime(1);
    expect(() => keys.access(second.key).require('write')).not.toThrow();
    await writeFile(file, '{');
    for (let check = 0; check < 3; check += 1) {
      vi.advanceTimersByTime(1000);
      expect(() => keys.access(key).require('read')).not.toThrow();
    }
    expect(problems).toEqual([expect.any(FormatRefused)]);
  });

  test('needs a key from the first file on, also after its removal', async () => {
    const keys = new ApiKeys(undefined, file);
    expect(keys.isRequired).toBe(false);
    expect(keys.access(undefined)).toBe(Access.full);
    const { key, entry } = await createKey(file, { rights: ['read'] });
    vi.advanceTimersByTime(1000);
    expect(() => keys.access(undefined)).toThrow('Unauthorized');
    expect(keys.isRequired).toBe(true);
    expect(() => keys.access(entry.sha256)).toThrow('Unauthorized');
    expect(keys.access(key)).not.toBe(Access.full);
    await rm(file);
    vi.advanceTimersByTime(1000);
    for (const each of [key, undefined]) expect(() => keys.access(each)).toThrow('Unauthorized');
  });

  test('needs the key of the environment, which has all rights', () => {
    const keys = new ApiKeys('secret', file);
    expect(keys.isRequired).toBe(true);
    expect(keys.access('secret')).toBe(Access.full);
    for (const wrong of [undefined, '', 'secre', 'secret2'])
      expect(() => keys.access(wrong)).toThrow('Unauthorized');
  });

  test('keeps its keys while the file can not be examined, and reports why', async () => {
    const problems: unknown[] = [];
    const { key } = await createKey(file, { rights: ['read'] });
    const keys = new ApiKeys(undefined, file, (error) => problems.push(error));
    await rename(file, `${file}.old`);
    await symlink(file, file);
    vi.advanceTimersByTime(1000);
    expect(() => keys.access(key).require('read')).not.toThrow();
    expect(problems).toEqual([expect.objectContaining({ message: expect.stringContaining('ELOOP') })]);
  });
});

describe('access', () => {
  const of = (rights: readonly Right[], indexes?: readonly string[]) => new Access(rights, indexes);

  test('covers the named indexes, by name or alias', () => {
    expect([of(['read']).coversAll, of(['read'], ['a']).coversAll]).toEqual([true, false]);
    const some = of(['read'], ['a', 'b']);
    expect([some.covers('a'), some.covers('x', 'b'), some.covers(undefined, 'a')]).toEqual([
      true,
      true,
      true,
    ]);
    expect([some.covers('x'), some.covers(undefined), some.covers()]).toEqual([false, false, false]);
    expect(of(['read']).covers()).toBe(true);
  });

  test('needs both the right and the index', () => {
    const some = of(['read', 'write'], ['a']);
    expect(() => some.require('read', 'a')).not.toThrow();
    expect(() => some.require('write', 'alias', 'a')).not.toThrow();
    expect(() => some.require('read')).not.toThrow();
    expect(() => some.require('admin', 'a')).toThrow("lacks the right 'admin' for 'a';");
    expect(() => some.require('read', 'b')).toThrow("lacks the right 'read' for 'b';");
    expect(() => some.require('admin')).toThrow("lacks the right 'admin' for this request;");
    expect(() => some.require('read', 'c'.repeat(65))).toThrow(`for '${'c'.repeat(64)}';`);
  });
});
