/** `isccd verify --digests`: equal indexes in PostgreSQL, in the cache of an instance and in a folder have equal digests. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Entry } from '../../src/client/search-api.js';
import { isccId } from '../search/support/random-assets.js';
import { addCollection, post, rows } from '../search/support/search-server.js';
import { isccd } from '../support/command.js';
import { type PostgresServer, startPostgres } from '../support/postgres.js';
import { type ServedProcess, serve } from '../support/serve.js';

const SIMPRINTS = { ALFA: [{ simprint: 'AAAAAAAAAAAAAAAAAAAAAA', offset: 0, size: 9 }] };
const TEST_MS_MAX = 240_000;

let postgres: PostgresServer;
let folder: string;
let location: string;
let server: ServedProcess;
beforeAll(async () => {
  postgres = await startPostgres();
  folder = await mkdtemp(path.join(tmpdir(), 'isccd-verify-'));
  location = await postgres.createDatabase();
  server = await serve(['search'], { cwd: folder, env: variables() });
  while ((await fetch(`${server.urls.search}/readyz`)).status !== 200) await pause(20);
  const [one] = (await rows<Entry>('assets.jsonl')) as [Entry];
  await addCollection(server.urls.search, 'main');
  const extended = { ...one, simprints: SIMPRINTS, metadata: { 'ä "': [1.5, null] } };
  expect((await post(`${server.urls.search}/indexes/main/assets`, [extended])).status).toBe(201);
  expect((await post(`${server.urls.search}/indexes`, { name: 'empty' })).status).toBe(201);
}, TEST_MS_MAX);
afterAll(async () => {
  await server?.stop();
  await postgres?.stop();
  await rm(folder, { recursive: true, force: true });
});

const variables = () => ({
  INDEXSVC_INDEX_URI: location,
  INDEXSVC_PORT: '0',
  ISCCD_DATA_DIR: folder,
});

interface Verified {
  readonly ok: boolean;
  readonly counts: { readonly search: Readonly<Record<string, number>> };
  readonly problems: readonly { readonly key: string; readonly rule: string }[];
  readonly digests?: Readonly<Record<string, string>>;
}

async function verified(...args: string[]): Promise<Verified> {
  const { stdout, stderr } = await isccd(['verify', ...args, '--json'], { cwd: folder, env: variables() });
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout) as Verified;
}

test('the database, the cache and a folder with the same assets have the same digests', {
  timeout: TEST_MS_MAX,
}, async () => {
  const there = await verified('--digests');
  expect(there).toMatchObject({ ok: true, problems: [] });
  expect(there.digests).toEqual({
    main: expect.stringMatching(/^[0-9a-f]{64}$/),
    empty: expect.stringMatching(/^e3b0c442/),
  });
  const ids = new Set((await rows<Entry>('assets.jsonl')).map(({ iscc_id }) => iscc_id));
  expect(there.counts.search).toEqual({ main: ids.size, empty: 0 });
  const cache = await verified(path.join(folder, 'search-cache'), '--digests');
  expect(cache).toMatchObject({ ok: true, counts: there.counts, digests: there.digests });
  const copy = path.join(folder, 'copy');
  const moved = await isccd(['reindex', '--from', location, '--to', copy], { cwd: folder });
  expect([moved.code, moved.stderr]).toEqual([0, '']);
  expect((await verified(copy, '--digests')).digests).toEqual(there.digests);
  expect((await verified(copy)).digests).toBeUndefined();
});

test('a change has another digest, and a row that cannot be read is a problem', {
  timeout: TEST_MS_MAX,
}, async () => {
  const before = await verified('--digests');
  const added = [
    { iscc_id: isccId(1), metadata: { a: 1 }, units: (await rows<Entry>('assets.jsonl'))[0]?.units },
  ];
  expect((await post(`${server.urls.search}/indexes/main/assets`, added)).status).toBe(201);
  const after = await verified('--digests');
  expect(after.counts.search.main).toBe((before.counts.search.main ?? 0) + 1);
  expect(after.digests?.main).not.toBe(before.digests?.main);
  expect(after.digests?.empty).toBe(before.digests?.empty);

  const client = new pg.Client({ connectionString: location });
  await client.connect();
  await client.query(
    `update isccd_search.assets set units = '{broken}' where key = (select key from isccd_search.assets order by key limit 1)`,
  );
  await client.end();
  const damaged = await verified();
  expect(damaged).toMatchObject({
    ok: false,
    problems: [{ key: 'main', rule: expect.stringMatching(/^unreadable: /) }],
  });
});
