/** `isccd find`, and `isccd index search|rm` on a running service. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import sharp from 'sharp';
import { beforeAll, describe, expect, test } from 'vitest';
import { startSearch } from '../search/support/search-server.js';
import { isccd } from '../support/command.js';

const FILES = path.resolve(import.meta.dirname, '../fixtures/codes/files');
const PHOTO = path.join(FILES, 'photo-q85_a.jpg');
const SAVED_AGAIN = path.join(FILES, 'photo_q95_444_a.jpg');
const OTHER = path.join(FILES, 'orient3_a.jpg');

let folder: string;
const places = new Map<string, string>();
const run = (...args: string[]) => isccd(args, { cwd: folder });
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'isccd-find-'));
  const server = await startSearch(folder, {
    INDEXSVC_INDEX_URI: `usearch://${path.join(folder, 'served')}`,
  });
  places.set('a service', server.url).set('equal codes', `lmdb://${path.join(folder, 'equal')}`);
  const { stdout } = await run('code', PHOTO);
  await writeFile(path.join(folder, 'codes.jsonl'), stdout);
  for (const at of places.values()) {
    await run('index', 'create', 'photos', '--at', at);
    const added = await run('index', 'add', 'photos', 'codes.jsonl', '--make-ids', '--at', at);
    expect(added).toMatchObject({ code: 0, stdout: '{"created":1,"updated":0}\n' });
  }
  return async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  };
});

const find = (at: string, file: string, ...options: string[]) =>
  run('find', file, '--in', 'photos', '--at', places.get(at) ?? '', ...options);

describe('isccd find', () => {
  test('says that a file is in the index', async () => {
    const { code, stdout, stderr } = await find('a service', PHOTO);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^100\.0 % {2}ISCC:MAI\w+ {2}photo q85 a {2}the same file\n/);
    expect(stdout).toMatch(/^ +instance +equal$/m);
  });

  test('says what differs in a picture that was saved again', async () => {
    const { stdout } = await find('a service', SAVED_AGAIN);
    expect(stdout).toMatch(/photo q85 a {2}(?:similar content|the same content in another file)\n/);
    expect(stdout).toMatch(/^ +meta +differs in \d+ of 256 bits$/m);
    expect(stdout).toMatch(/^ +content image +(?:equal|differs in \d+ of 256 bits)$/m);
    expect(stdout).toMatch(/^ +instance +differs$/m);
    const { stdout: json } = await find('a service', SAVED_AGAIN, '--json', '--limit', '1');
    const { iscc, matches } = JSON.parse(json);
    expect(iscc).toMatch(/^ISCC:K/);
    expect(matches).toMatchObject([
      { iscc_id: expect.stringMatching(/^ISCC:MAI/), score: expect.any(Number) },
    ]);
    const instance = matches[0].units.find(({ kind }: { kind: string }) => kind === 'INSTANCE_NONE_V0');
    expect(instance).toMatchObject({ bits: 256, similarity: 0 });
  });

  test('finds a mirrored picture with --symmetries, and says how it looks', async () => {
    const mirrored = path.join(folder, 'mirrored.png');
    await sharp(PHOTO).flop().toFile(mirrored);
    expect((await find('a service', mirrored)).stdout).not.toMatch(/similar content/);
    const { stdout } = await find('a service', mirrored, '--symmetries');
    expect(stdout).toMatch(/photo q85 a {2}(?:similar content|the same content in another file), mirrored\n/);
    const { stdout: json } = await find('a service', mirrored, '--symmetries', '--json');
    expect(JSON.parse(json).matches).toMatchObject([{ symmetry: 'mirrored' }]);
  });

  test('works with an engine that compares for equality', async () => {
    expect((await find('equal codes', PHOTO)).stdout).toMatch(/ the same file\n(?:.*\n)* +instance +equal\n/);
  });

  test('says that nothing matches, and which argument is wrong', async () => {
    expect(await find('a service', OTHER)).toMatchObject({ code: 0, stdout: 'no matches in photos\n' });
    expect(await find('a service', 'missing.jpg')).toMatchObject({
      code: 1,
      stderr: 'isccd: missing.jpg: the file does not exist\n',
    });
    expect(await find('a service', PHOTO, '--threshold', '90 %')).toMatchObject({
      code: 2,
      stderr: 'isccd: --threshold must be a number from 0 to 1\n',
    });
  });
});

test('a service gets the parameters of searches, and deletes assets', async () => {
  const at = ['--at', places.get('a service') ?? ''];
  const search = async (...args: string[]) =>
    JSON.parse((await run('index', 'search', 'photos', PHOTO, ...args, ...at)).stdout).global_matches;
  const [{ iscc_id: id }] = await search('--threshold', '9e-1', '--unit-types', 'DATA_NONE_V0');
  expect(await search('--filter', 'metadata.filename = "other.jpg"')).toEqual([]);
  expect(await search('--filter', 'metadata.filename exists', 'metadata.name exists')).toHaveLength(1);
  const removed = await run('index', 'rm', 'photos', id, id, ...at);
  expect([removed.code, JSON.parse(removed.stdout)]).toEqual([0, { deleted: 1, missing: [] }]);
  expect(await search()).toEqual([]);
});
