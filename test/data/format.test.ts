/** Format versions of data directories: older ones are migrated, newer ones are refused at start. */
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { DATA_KINDS, FORMAT_FILE, knownFormat, prepareData } from '../../src/storage/data/format.js';
import { openDatabase } from '../../src/storage/database/open.js';
import { temporaryFolder } from '../codes/support/folder.js';
import { isccd, servicesEnvironment } from './support/services.js';

const CONFIGURATION_INVALID = 2;

async function folderOf(kind: string, format?: string): Promise<{ root: string; folder: string }> {
  const root = await temporaryFolder();
  const folder = path.join(root, kind);
  await mkdir(folder);
  if (format !== undefined) await writeFile(path.join(folder, FORMAT_FILE), format);
  return { root, folder };
}

describe.each(DATA_KINDS)('%s', (kind) => {
  const known = knownFormat(kind);

  it('has a FORMAT file after the first open, and can be opened again', async () => {
    const { folder } = await folderOf(kind);
    for (const _ of [1, 2]) {
      await Promise.all([prepareData(kind, folder), prepareData(kind, folder)]);
      expect(await readFile(path.join(folder, FORMAT_FILE), 'utf8')).toBe(`isccd ${kind} ${known}\n`);
    }
  });

  it('does not start on data of a newer version, and does not change it', async () => {
    const { root, folder } = await folderOf(kind, `isccd ${kind} ${known + 1}\n`);
    const { code, stderr } = await isccd(['serve', kind], servicesEnvironment(root));
    expect(code).toBe(CONFIGURATION_INVALID);
    expect(stderr).toContain(
      `${folder} has format ${known + 1}, but this program supports formats up to ${known}: `,
    );
    expect(stderr).toMatch(/restore a backup made by this one\n$/);
    expect(await readFile(path.join(folder, FORMAT_FILE), 'utf8')).toBe(`isccd ${kind} ${known + 1}\n`);
  });

  it('does not start on the data of another service, or with an invalid FORMAT file', async () => {
    const other = kind === 'store' ? 'codes' : 'store';
    for (const format of [`isccd ${other} 1\n`, 'nonsense', '']) {
      const { root, folder } = await folderOf(kind, format);
      const { code, stderr } = await isccd(['serve', kind], servicesEnvironment(root));
      expect([code, stderr.includes(folder)], stderr).toEqual([CONFIGURATION_INVALID, true]);
    }
  });
});

it('the store and its commands refuse a database of a newer version', async () => {
  const { root, folder } = await folderOf('store');
  const { db, close } = await openDatabase(undefined, folder);
  await sql`update schema_version set version = 999`.execute(db);
  await sql`update schema_compatible set oldest = 999`.execute(db);
  await close();
  for (const command of [
    ['serve', 'store'],
    ['store', 'account', 'list'],
  ]) {
    const { code, stderr } = await isccd(command, servicesEnvironment(root));
    expect(code).toBe(CONFIGURATION_INVALID);
    expect(stderr).toContain(
      `${path.join(folder, 'store.sqlite')} has format 999, but this program supports formats up to`,
    );
  }
});

it('the index command refuses a newer folder', async () => {
  const { folder } = await folderOf('search', 'isccd search 2\n');
  const { code, stderr } = await isccd(['index', 'list', '--at', folder], {});
  expect([code, stderr]).toEqual([CONFIGURATION_INVALID, expect.stringContaining(`${folder} has format 2`)]);
});

it.each(['a.txt', 'photos/a.jpg'])('search refuses a folder that contains %s', async (name) => {
  const { root, folder } = await folderOf('search');
  const file = path.join(folder, name);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, 'mine');
  const message = `${folder} is not a search folder: it contains ${name.split('/')[0]}`;
  for (const command of [
    ['index', 'create', 'main', '--at', folder],
    ['serve', 'search'],
  ]) {
    const { code, stderr } = await isccd(command, servicesEnvironment(root));
    expect([code, stderr]).toEqual([CONFIGURATION_INVALID, expect.stringContaining(message)]);
  }
  expect(await readdir(folder)).toEqual([name.split('/')[0]]);
});

it('only index create creates a folder', async () => {
  const { root } = await folderOf('search');
  const folder = path.join(root, 'typo');
  const { code, stderr } = await isccd(['index', 'list', '--at', folder], {});
  expect([code, stderr]).toEqual([1, expect.stringContaining(`no indexes at ${folder}`)]);
  expect(existsSync(folder)).toBe(false);
  expect((await isccd(['index', 'create', 'main', '--at', folder], {})).code).toBe(0);
  expect((await isccd(['index', 'list', '--at', folder], {})).code).toBe(0);
});
