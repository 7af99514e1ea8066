/** `isccd reindex`: all indexes of a folder into PostgreSQL and back. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Entry } from '../../src/client/search-api.js';
import { InProcessSearch } from '../../src/services/search/in-process.js';
import { randomAsset } from '../search/support/random-assets.js';
import { rows } from '../search/support/search-server.js';
import { isccd } from '../support/command.js';
import { type PostgresServer, startPostgres } from '../support/postgres.js';
import { MAIN } from '../support/serve.js';

const ASSETS = 12_000;
const BATCH = 1000;

let postgres: PostgresServer;
let folder: string;
let location: string;
beforeAll(async () => {
  postgres = await startPostgres();
  location = (await postgres.createDatabase()).replace('isccd@', 'isccd:geheim@');
  folder = await mkdtemp(path.join(tmpdir(), 'isccd-reindex-'));
});
afterAll(async () => {
  await postgres?.stop();
  await rm(folder, { recursive: true, force: true });
});

const place = (name: string) => path.join(folder, name);
const reindex = async (from: string, to: string) => {
  const { code, stdout, stderr } = await isccd(['reindex', '--from', from, '--to', to], { cwd: folder });
  const results = stdout.split('\n').filter(Boolean);
  return { code, stderr, results: results.map((line) => JSON.parse(line)) };
};
async function using<T>(at: string, work: (search: InProcessSearch) => Promise<T>): Promise<T> {
  const search = await InProcessSearch.open(at);
  try {
    return await work(search);
  } finally {
    await search.close();
  }
}
const exported = (at: string, index: string) =>
  using(at, async (search) => {
    let text = '';
    for (let after: string | undefined, isLast = false; !isLast; isLast = after === undefined) {
      const { lines, next } = await search.assetLines(index, after, 10_000);
      text += lines.toString();
      after = next;
    }
    return text;
  });

test('indexes move into PostgreSQL and back, byte for byte, and differences are reported', {
  timeout: 120_000,
}, async () => {
  const entries = (await rows<Entry>('assets.jsonl')).slice(0, 1500);
  const simprints = { ALFA: [{ simprint: 'AAAAAAAAAAAAAAAAAAAAAA', offset: 0, size: 9 }] };
  const from = `usearch://${place('from')}`;
  await using(from, async (search) => {
    await search.createIndex('ds');
    await search.putPaths('ds', ['metadata.lang']);
    await search.addAssets('ds', entries);
    await search.addAssets('ds', [{ ...(entries[7] as Entry), simprints, metadata: { lang: 'de', n: 1.5 } }]);
    await search.createIndex('empty');
  });
  const there = await reindex(place('from'), location);
  expect([there.code, there.stderr]).toEqual([0, '']);
  const count = new Set(entries.map(({ iscc_id }) => iscc_id)).size;
  expect(there.results).toMatchObject([
    { index: 'ds', created: count, updated: 0, refused: 0, differences: 0 },
    { index: 'empty', created: 0, compared: 0, differences: 0 },
  ]);
  expect(there.results[0].compared).toBeGreaterThan(0);
  const back = await reindex(location, place('back'));
  expect([back.code, back.stderr]).toEqual([0, '']);
  const [before, after] = [await exported(from, 'ds'), await exported(`usearch://${place('back')}`, 'ds')];
  expect(after).toBe(before);
  await using(`usearch://${place('back')}`, async (search) => {
    expect((await search.getPaths('ds')).paths.map(({ path }) => path)).toEqual(['metadata.lang']);
    await search.deleteAsset('ds', entries[3]?.iscc_id as string);
  });
  // The next run compares two places that no longer agree.
  const again = await reindex(place('back'), location);
  expect(again.code).toBe(1);
  expect(again.stderr).toContain(`ds: ${count - 1} assets at --from, but ${count} at --to`);
  expect(again.stderr).not.toContain('geheim');
  // A further run copies all again.
  await expect(readFile(path.join(folder, 'isccd-reindex.json'))).rejects.toThrow('ENOENT');
});

test('a killed run is resumed, and its result is that of a run without interruption', {
  timeout: 240_000,
}, async () => {
  const source = `usearch://${place('large')}`;
  await using(source, async (search) => {
    await search.createIndex('large');
    for (let at = 0; at < ASSETS; at += BATCH)
      await search.addAssets(
        'large',
        Array.from({ length: BATCH }, (_, number) => randomAsset(at + number, { n: at + number })),
      );
  });
  const target = await postgres.createDatabase();
  const args = ['reindex', '--from', place('large'), '--to', target, '--state', place('state.json')];
  const child = spawn(process.execPath, [MAIN, ...args], { cwd: folder, stdio: 'ignore' });
  const ended = once(child, 'exit');
  // Written after each batch, removed at the end.
  await expect.poll(() => existsSync(place('state.json')), { timeout: 120_000, interval: 2 }).toBe(true);
  child.kill('SIGKILL');
  expect(await ended).toEqual([null, 'SIGKILL']);
  const before = await using(target, (search) => search.getIndex('large'));
  expect(before.assets).toBeGreaterThan(0);
  expect(before.assets).toBeLessThan(ASSETS);

  const { code, stdout, stderr } = await isccd(args, { cwd: folder });
  expect([code, stderr]).toEqual([0, '']);
  const result = JSON.parse(stdout) as { readonly created: number; readonly differences: number };
  expect(result).toMatchObject({ index: 'large', refused: 0, differences: 0 });
  expect(existsSync(place('state.json'))).toBe(false);
  expect(await exported(target, 'large')).toBe(await exported(source, 'large'));
});
