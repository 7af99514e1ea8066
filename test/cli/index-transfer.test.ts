/** `isccd index import|export|copy`: indexes of iscc-search, files, and other indexes. */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { fileVersion } from '../../src/cli/input/asset-sources.js';
import { ImportState } from '../../src/cli/input/import-state.js';
import type { Entry } from '../../src/client/search-api.js';
import { startSearch } from '../search/support/search-server.js';
import { isccd } from '../support/command.js';

const FIXTURES = path.resolve(import.meta.dirname, '../fixtures/search/iscc-search-0.3.3');

let folder: string;
let old: string;
let text: string;
let entries: readonly Entry[];
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'isccd-import-'));
  text = await readFile(path.join(FIXTURES, 'assets.jsonl'), 'utf8');
  entries = text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Entry);
  old = path.join(folder, 'old');
  await mkdir(path.join(old, 'photos'), { recursive: true });
  const unpacked = async (name: string) => gunzipSync(await readFile(path.join(FIXTURES, name)));
  await writeFile(path.join(old, 'photos', 'index.lmdb'), await unpacked('usearch.lmdb.gz'));
  await writeFile(path.join(old, 'exact.lmdb'), await unpacked('exact.lmdb.gz'));
  return () => rm(folder, { recursive: true, force: true });
});

const index = async (...args: string[]) => {
  const { code, stdout, stderr } = await isccd(['index', ...args], { cwd: folder });
  return {
    code,
    stderr,
    stdout,
    results: () =>
      stdout
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
  };
};
const byId = (all: readonly Entry[]) => new Map(all.map((entry) => [entry.iscc_id, entry]));

test('a folder of iscc-search moves over in one command, with its simprints', async () => {
  const before = await readFile(path.join(old, 'photos', 'index.lmdb'));
  const moved = await index('import', '--from', old, '--at', './new');
  expect([moved.code, moved.stderr]).toEqual([0, '']);
  const counts = { created: entries.length, updated: 0, refused: 0, problems: 0 };
  expect(moved.results()).toEqual([
    { index: 'exact', ...counts },
    { index: 'photos', ...counts },
  ]);
  expect(await readFile(path.join(old, 'photos', 'index.lmdb'))).toEqual(before);
  const photos = (await index('export', 'photos', '--at', './new')).results();
  expect(byId(photos)).toEqual(byId(entries));
  expect(entries.filter(({ simprints }) => simprints !== undefined)).toHaveLength(15);
  // The exact backend of iscc-search does not store simprints.
  const exact = (await index('export', 'exact', '--at', './new')).results();
  expect(byId(exact)).toEqual(byId(entries.map(({ simprints: _, ...entry }) => entry)));
});

test('export, import and export again are byte-equal, also when compressed', async () => {
  await writeFile(path.join(folder, 'assets.jsonl'), text);
  await index('import', 'first', '--from', 'assets.jsonl', '--at', './round');
  const first = (await index('export', 'first', '--at', './round')).stdout;
  await writeFile(path.join(folder, 'first.ndjson.gz'), gzipSync(first));
  const again = await index('import', 'second', '--from', 'first.ndjson.gz', '--at', './round');
  expect(again.results()).toMatchObject([{ index: 'second', created: entries.length, refused: 0 }]);
  expect((await index('export', 'second', '--at', './round')).stdout).toBe(first);
  await index('export', 'second', '--at', './round', '--output', 'second.ndjson');
  expect(await readFile(path.join(folder, 'second.ndjson'), 'utf8')).toBe(first);
  const piped = await isccd(['index', 'import', 'piped', '--from', '-', '--at', './round'], {
    cwd: folder,
    input: first,
  });
  expect(JSON.parse(piped.stdout)).toMatchObject({ index: 'piped', created: entries.length });
  const copied = await index('copy', 'first', 'third', '--at', './round', '--to', './other');
  expect(copied.results()).toMatchObject([{ index: 'third', created: entries.length }]);
  expect((await index('export', 'third', '--at', './other')).stdout).toBe(first);
});

test('an index of isccd and one of a running service are sources, too', async () => {
  await writeFile(path.join(folder, 'assets.jsonl'), text);
  await index('import', 'source', '--from', 'assets.jsonl', '--at', './own');
  const server = await startSearch(folder, { INDEXSVC_INDEX_URI: `usearch://${folder}/served` });
  try {
    const moved = await index('import', '--from', './own', '--at', server.url);
    expect(moved.results()).toMatchObject([{ index: 'source', created: entries.length }]);
    const back = await index('import', 'source', '--from', server.url, '--as', 'back', '--at', './own');
    expect(back.results()).toMatchObject([{ index: 'back', created: entries.length }]);
  } finally {
    await server.stop();
  }
  const exported = async (name: string) => (await index('export', name, '--at', './own')).stdout;
  expect(await exported('back')).toBe(await exported('source'));
});

test('a copy has the declared paths; an index that exists keeps its own', async () => {
  await writeFile(path.join(folder, 'assets.jsonl'), text);
  const declared = async (name: string, at: string) =>
    (await index('paths', name, '--at', at)).results().map((row) => row.path);
  await index('import', 'source', '--from', 'assets.jsonl', '--at', './declared');
  await index('paths', 'source', 'metadata.name', 'metadata.tags', '--at', './declared');
  await index('create', 'old', '--at', './declared');
  await index('paths', 'old', 'metadata.lang', '--at', './declared');
  await index('copy', 'source', 'copied', '--at', './declared');
  await index('copy', 'source', 'old', '--at', './declared');
  expect(await declared('copied', './declared')).toEqual(['metadata.name', 'metadata.tags']);
  expect(await declared('old', './declared')).toEqual(['metadata.lang']);
  await index('import', 'source', '--from', './declared', '--as', 'imported', '--at', './elsewhere');
  expect(await declared('imported', './elsewhere')).toEqual(['metadata.name', 'metadata.tags']);
  const served = { INDEXSVC_INDEX_URI: `usearch://${folder}/paths-served` };
  const server = await startSearch(folder, served);
  try {
    await index('copy', 'source', 'sent', '--at', './declared', '--to', server.url);
    await index('import', 'sent', '--from', server.url, '--as', 'back', '--at', './declared');
  } finally {
    await server.stop();
  }
  expect(await declared('back', './declared')).toEqual(['metadata.name', 'metadata.tags']);
});

test('refused rows are reported with the reason; the others are imported', async () => {
  const [first, second] = entries as [Entry, Entry];
  const lines = [
    JSON.stringify(first),
    JSON.stringify({ ...second, iscc_code: 'ISCC:7777777777777777' }),
    '{',
  ];
  await writeFile(path.join(folder, 'bad.ndjson'), lines.join('\n'));
  const moved = await index(
    'import',
    'bad',
    '--from',
    'bad.ndjson',
    '--at',
    './bad',
    '--report',
    'bad-report.ndjson',
  );
  expect([moved.code, moved.results()]).toMatchObject([
    1,
    [{ created: 1, refused: 2, report: 'bad-report.ndjson' }],
  ]);
  expect(moved.stderr.trimEnd().split('\n').pop()).toBe(
    'isccd: bad: rows refused: 2; bad-report.ndjson has the reasons, all other rows are in the index',
  );
  const report = (await readFile(path.join(folder, 'bad-report.ndjson'), 'utf8')).trimEnd().split('\n');
  expect(report.map((line) => JSON.parse(line))).toEqual([
    { index: 'bad', line: 2, iscc_id: second.iscc_id, detail: expect.stringMatching(/./) },
    { index: 'bad', line: 3, detail: [expect.objectContaining({ type: 'json_invalid' })] },
  ]);
  expect(moved.stderr).toContain(second.iscc_id);
});

test('a refused row is found by its line and its ISCC-ID', async () => {
  const [first] = entries as [Entry];
  const good = JSON.stringify(first);
  const bad = JSON.stringify({ iscc_id: 'ISCC:MAIGIIFJRDGEQQAA', units: ['ISCC:EAAW4BQTJSTJSHAI'] });
  // Two batches.
  const lines = [...Array<string>(1000).fill(good), '', bad];
  await writeFile(path.join(folder, 'long.ndjson'), lines.join('\n'));
  const where = ['--from', 'long.ndjson', '--at', './long', '--report', 'long-report.ndjson'];
  expect((await index('import', 'long', ...where)).results()).toMatchObject([{ created: 1, refused: 1 }]);
  expect(JSON.parse(await readFile(path.join(folder, 'long-report.ndjson'), 'utf8'))).toMatchObject({
    line: 1002,
    iscc_id: 'ISCC:MAIGIIFJRDGEQQAA',
    detail: [{ type: 'too_short' }],
  });
});

describe('an interrupted import', () => {
  const saved = (name: string) => path.join(folder, `${name}.state.json`);
  const args = (name: string, at = `./${name}`) => {
    const state = ['--state', `${name}.state.json`];
    return ['import', name, '--from', 'assets.jsonl', ...state, '--at', at];
  };
  const ids = async (name: string) =>
    (await index('export', name, '--at', `./${name}`)).results().map(({ iscc_id }) => iscc_id);

  /** An import that ended after the first line. */
  async function interrupted(name: string): Promise<void> {
    await writeFile(path.join(folder, 'assets.jsonl'), text);
    await writeFile(path.join(folder, 'first.jsonl'), JSON.stringify(entries[0]));
    await index('import', name, '--from', 'first.jsonl', '--at', `./${name}`);
    const version = await fileVersion(path.join(folder, 'assets.jsonl'));
    const done = { index: name, created: 1, updated: 0, refused: 0, problems: 0 };
    const state = await ImportState.open(saved(name), 'assets.jsonl', `./${name}`);
    await state.save(name, { position: '1', version, before: 0, done });
  }

  test('continues where it stopped', async () => {
    await interrupted('resumed');
    const other = await index(...args('resumed', './elsewhere'));
    expect([other.code, other.stderr]).toEqual([
      1,
      expect.stringContaining('resumed.state.json belongs to an interrupted import'),
    ]);
    const moved = await index(...args('resumed'));
    const counts = { created: entries.length, updated: 0 };
    expect([moved.results(), moved.stderr]).toMatchObject([[{ index: 'resumed', ...counts }], '']);
    expect(await ids('resumed')).toHaveLength(entries.length);
    await expect(readFile(saved('resumed'))).rejects.toThrow('ENOENT');
  });

  test('starts again if the index has lost assets', async () => {
    await interrupted('lost');
    await index('rm', 'lost', '--at', './lost');
    const moved = await index(...args('lost'));
    expect(moved.results()).toMatchObject([{ index: 'lost', created: entries.length, updated: 0 }]);
    expect(moved.stderr).toBe(
      'isccd: lost: assets of the index are missing (0 of 1) since the interruption; starting from the beginning\n',
    );
    expect(await ids('lost')).toHaveLength(entries.length);
  });

  test('starts again if its file has changed', async () => {
    await interrupted('changed');
    await writeFile(path.join(folder, 'assets.jsonl'), text.split('\n').toReversed().join('\n'));
    const moved = await index(...args('changed'));
    expect(moved.results()).toMatchObject([{ created: entries.length - 1, updated: 1 }]);
    expect(moved.stderr).toContain('the source has changed since the interruption');
    expect(await ids('changed')).toHaveLength(entries.length);
  });
});

describe('refuses', () => {
  test.skipIf(process.platform === 'win32')('a device', async () => {
    const { code, stderr } = await index('import', 'x', '--from', '/dev/null', '--at', './none');
    expect([code, stderr]).toEqual([
      1,
      'isccd: /dev/null: neither a file nor a folder; pipe the lines to --from -\n',
    ]);
  });

  test.each([
    ['a missing place', ['--from', './missing'], /no such file/i],
    ['a folder without indexes', ['--from', '.'], /contains no indexes/],
    ['lines without a name', ['--from', 'assets.jsonl'], /name the index/],
  ])('%s', async (_, args, message) => {
    await writeFile(path.join(folder, 'assets.jsonl'), text);
    const { code, stderr } = await index('import', ...args, '--at', './none');
    expect([code, stderr]).toEqual([1, expect.stringMatching(message)]);
  });
});

test('the API key of a service comes from the environment', async () => {
  const server = await startSearch(path.join(folder, 'guarded'), { INDEXSVC_API_SECRET: 'secret' });
  try {
    const list = (env: Record<string, string>) => isccd(['index', 'list', '--at', server.url], { env });
    const without = await list({ ISCCD_API_KEY: '' });
    expect(without.code).toBe(1);
    expect(without.stderr).toBe('isccd: Unauthorized: set ISCCD_API_KEY, or pass --api-key\n');
    expect((await list({ ISCCD_API_KEY: 'secret' })).code).toBe(0);
  } finally {
    await server.stop();
  }
});

test('an export into a folder that does not exist fails with one line', async () => {
  const at = path.join(folder, 'exported');
  expect((await index('create', 'photos', '--at', at)).code).toBe(0);
  const ended = await index('export', 'photos', '--at', at, '--output', 'missing/photos.ndjson');
  expect(ended.code).toBe(1);
  expect(ended.stderr).toMatch(/^isccd: missing\/photos\.ndjson: [^\n]+\n$/);
});

test('a failed export leaves an earlier file as it is', async () => {
  await writeFile(path.join(folder, 'kept.ndjson'), text);
  const before = await readdir(folder);
  const failed = await index('export', 'missing', '--at', './failed', '--output', 'kept.ndjson');
  expect([failed.code, failed.stderr]).toEqual([1, expect.stringMatching(/^isccd: [^\n]+\n$/)]);
  expect(await readFile(path.join(folder, 'kept.ndjson'), 'utf8')).toBe(text);
  expect((await readdir(folder)).filter((name) => !before.includes(name) && name !== 'failed')).toEqual([]);
});

test('the next standard input is not taken for the rest of an interrupted one', async () => {
  const from = ['import', 'piped', '--from', '-', '--at', './next'];
  const [first, second] = entries as [Entry, Entry];
  const run = (input: string) => isccd(['index', ...from], { cwd: folder, input });
  // The second line is longer than a line may be, so that the import fails after the first batch.
  const lines = [...Array<string>(1000).fill(JSON.stringify(first)), 'x'.repeat(65 * 1024 * 1024)];
  expect((await run(lines.join('\n'))).code).toBe(1);
  expect(JSON.parse((await run(JSON.stringify(second))).stdout)).toMatchObject({ created: 1 });
});

test('the state of an import has no password', async () => {
  const file = path.join(folder, 'state.json');
  const state = await ImportState.open(file, 'old', 'postgresql://user:geheim@host/database');
  const done = { index: 'photos', created: 1, updated: 0, refused: 0, problems: 0 };
  await state.save('photos', { position: 'x', done });
  expect(await readFile(file, 'utf8')).not.toContain('geheim');
  await expect(ImportState.open(file, 'other', 'here')).rejects.toThrow(/^(?!.*geheim)/);
});
