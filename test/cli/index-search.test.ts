/** `isccd index search|rm|add`: queries of every kind, deletion of assets, and thumbnails of entries. */
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { isccd } from '../support/command.js';

const PICTURE = path.resolve(import.meta.dirname, '../fixtures/codes/files/orient3_a.jpg');

let folder: string;
let coded: { readonly iscc: string; readonly units: readonly string[]; readonly thumbnail?: string };
const index = async (...args: string[]) => {
  const { code, stdout, stderr } = await isccd(['index', ...args, '--at', './indexes'], { cwd: folder });
  return { code, stderr, result: () => JSON.parse(stdout) };
};

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'isccd-search-'));
  await copyFile(PICTURE, path.join(folder, 'picture.jpg'));
  const { stdout } = await isccd(['code', 'picture.jpg'], { cwd: folder });
  await writeFile(path.join(folder, 'codes.jsonl'), stdout);
  coded = JSON.parse(stdout);
  await index('create', 'photos');
  await index('add', 'photos', 'codes.jsonl', '--make-ids');
  return () => rm(folder, { recursive: true, force: true });
});

test('a file, its code, its units and the ISCC-ID find an asset; other options narrow the search', async () => {
  const found = async (...args: string[]) => {
    const { code, stderr, result } = await index('search', 'photos', ...args);
    expect([code, stderr]).toEqual([0, '']);
    return result().global_matches as readonly { readonly iscc_id: string; readonly score: number }[];
  };
  const [match] = await found('picture.jpg');
  expect(match).toMatchObject({ score: 1 });
  for (const query of [[coded.iscc], coded.units, coded.units.slice(0, 1)])
    expect(await found(...query)).toMatchObject([{ iscc_id: match?.iscc_id, score: 1 }]);
  // An asset is not similar to itself.
  expect(await found(match?.iscc_id ?? '')).toEqual([]);
  expect(await found('picture.jpg', '--threshold', '1', '--limit', '1')).toHaveLength(1);
  expect(await found('picture.jpg', '--exclude', match?.iscc_id ?? '')).toEqual([]);
  expect(await found('picture.jpg', '--filter', 'metadata.filename = "other.jpg"')).toEqual([]);
  expect(await found('picture.jpg', '--filter', 'metadata.filename = "picture.jpg"')).toHaveLength(1);
});

test('refuses what is neither a code nor a file, and values outside their range', async () => {
  const failed = async (...args: string[]) => {
    const { code, stderr } = await index('search', 'photos', ...args);
    return `${code} ${stderr.trim()}`;
  };
  expect(await failed('missing.jpg')).toMatch(/^2 .*missing\.jpg is not a file, and not a code: /);
  expect(await failed('.')).toMatch(/^2 .*\. is a folder, not a file$/);
  expect(await failed(coded.units[0] ?? '', 'picture.jpg')).toMatch(/^2 .*must all be ISCC-UNITs$/);
  expect(await failed(coded.iscc, coded.units[0] ?? '')).toMatch(/^2 .*is not an ISCC-UNIT; several /);
  expect(await failed(coded.iscc, '--threshold', '2')).toMatch(
    /^2 .*--threshold must be a number from 0 to 1$/,
  );
  expect(await failed(coded.iscc, '--filter', 'lang')).toMatch(/^1 .*filter/);
  expect(await failed(coded.iscc, '--limit', '0')).toMatch(/^2 .*--limit must be an integer of at least 1$/);
});

test('entries keep the thumbnail, and assets are deleted by their ISCC-IDs', async () => {
  const [match] = (await index('search', 'photos', 'picture.jpg')).result().global_matches;
  const stored = (await index('get', 'photos', match.iscc_id)).result();
  expect(coded.thumbnail).toMatch(/^data:image\/webp;base64,/);
  expect(stored.metadata.thumbnail).toBe(coded.thumbnail);
  const removed = await index('rm', 'photos', match.iscc_id, 'ISCC:MAIAAAAAAAAAAAAA');
  expect([removed.code, removed.result()]).toEqual([1, { deleted: 1, missing: ['ISCC:MAIAAAAAAAAAAAAA'] }]);
  expect((await index('search', 'photos', 'picture.jpg')).result().global_matches).toEqual([]);
  expect((await index('list')).result()).toMatchObject({ name: 'photos', assets: 0 });
});
