/** A database of indexes that was restored from a backup: caches that have what came after the backup are loaded again. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Entry } from '../../src/client/search-api.js';
import { SearchClient } from '../../src/client/search-client.js';
import type { RunningServer } from '../../src/http/server.js';
import {
  administrate,
  dump,
  exchange,
  nameOf,
  query as queryOf,
  restore,
} from '../support/exchanged-database.js';
import { type PostgresServer, startPostgres } from '../support/postgres.js';
import { post, rows, startSearch } from './support/search-server.js';

let postgres: PostgresServer;
let entries: readonly Entry[];
beforeAll(async () => {
  postgres = await startPostgres();
  entries = (await rows<Entry>('assets.jsonl')).filter(({ units }) => units?.length === 4).slice(0, 8);
  return () => postgres.stop();
});

let folder: string;
let location: string;
let servers: RunningServer[];
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'isccd-restored-'));
  location = await postgres.createDatabase();
  servers = [];
});
afterEach(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  await rm(folder, { recursive: true, force: true });
});

async function start(name: string, database = location): Promise<RunningServer> {
  const server = await startSearch(path.join(folder, name), { INDEXSVC_INDEX_URI: database });
  servers.push(server);
  return server;
}

async function stop(server: RunningServer): Promise<void> {
  servers = servers.filter((other) => other !== server);
  await server.stop();
}

/** Adds one asset in a change of its own. */
function add({ url }: RunningServer, at: number): Promise<unknown> {
  return new SearchClient(url).addAssets('ds', [entries[at] as Entry]);
}

/** Which of the assets an instance has, in the listing and in searches. */
async function stored({ url }: RunningServer): Promise<readonly number[]> {
  const client = new SearchClient(url);
  const all: number[] = [];
  for (const [at, { iscc_id: id, units }] of entries.entries()) {
    const { status } = await fetch(`${url}/indexes/ds/assets/${id}`);
    const found = await client.search('ds', { units: units as string[] });
    expect(found.global_matches.some((match) => match.iscc_id === id)).toBe(status === 200);
    if (status === 200) all.push(at);
  }
  return all;
}

/** Waits until an instance is ready, after it had lost its connections. */
async function ready({ url }: RunningServer): Promise<void> {
  const readiness = async () => (await fetch(`${url}/readyz`)).json();
  await expect.poll(readiness, { timeout: 20_000 }).toEqual({ status: 'ready' });
}

const query = (statement: string, parameters?: unknown[]) => queryOf(location, statement, parameters);

/** Creates the index with asset 0, which the backup has, and 1 and 2 after it. */
async function backedUp(): Promise<{ readonly one: RunningServer; readonly file: string }> {
  const one = await start('one');
  await new SearchClient(one.url).createIndex('ds');
  await add(one, 0);
  const file = await dump(location, path.join(folder, 'search.pgdump'));
  await add(one, 1);
  await add(one, 2);
  expect(await stored(one)).toEqual([0, 1, 2]);
  return { one, file };
}

/** Puts a restored database, to which other assets were added, in the place of the one that an instance uses. */
async function restoredUnder(added: readonly number[]): Promise<RunningServer> {
  const { one, file } = await backedUp();
  const other = await postgres.createDatabase();
  await restore(file, other);
  const two = await start('two', other);
  for (const at of added) await add(two, at);
  await stop(two);
  await exchange(location, other);
  return one;
}

// The restored database gets fewer, as many and more changes than the cache has seen.
describe.each([[[3]], [[3, 4]], [[3, 4, 5]]])('with the changes %j after the restore', (added) => {
  test('a cache that was not in use is loaded again', { timeout: 60_000 }, async () => {
    const { one, file } = await backedUp();
    await stop(one);
    await administrate(location, `drop database ${nameOf(location)} with (force)`);
    await administrate(location, `create database ${nameOf(location)}`);
    await restore(file, location);
    const two = await start('two');
    for (const at of added) await add(two, at);
    const again = await start('one');
    expect(await stored(again)).toEqual([0, ...added]);
    // Writes are computed with the cache.
    await add(again, 6);
    expect(await stored(again)).toEqual([0, ...added, 6]);
    expect(await stored(two)).toEqual([0, ...added, 6]);
  });

  test('an instance that runs meanwhile loads its indexes again', { timeout: 60_000 }, async () => {
    const one = await restoredUnder(added);
    await ready(one);
    expect(await stored(one)).toEqual([0, ...added]);
    await add(one, 6);
    const three = await start('three');
    expect(await stored(three)).toEqual([0, ...added, 6]);
  });

  test('a write is not computed with the lost history', { timeout: 60_000 }, async () => {
    const one = await restoredUnder(added);
    // Asset 1 exists in the lost history only, so it is new.
    const write = () => post(`${one.url}/indexes/ds/assets`, [entries[1]]);
    let response = await write();
    while (response.status === 503) response = await write();
    expect([response.status, await response.json()]).toEqual([
      201,
      [{ iscc_id: entries[1]?.iscc_id, status: 'created' }],
    ]);
    await ready(one);
    expect(await stored(one)).toEqual([0, 1, ...added]);
  });
});

describe('a cache', () => {
  /** Removes an asset without a change: only a cache that was not loaded again has it. */
  const hide = (at: number) =>
    query(
      'delete from isccd_search.assets a using isccd_search.changes c where a.key = any(c.keys) and c.sequence = $1',
      [at + 2],
    );

  async function filled(): Promise<RunningServer> {
    const one = await start('one');
    await new SearchClient(one.url).createIndex('ds');
    for (const at of [0, 1]) await add(one, at);
    return one;
  }

  test('is used if the database has its history, also without the changes', async () => {
    await stop(await filled());
    await hide(0);
    const second = await start('one');
    expect(await stored(second)).toEqual([0, 1]);
    await stop(second);
    await query('update isccd_search.feed set forgotten = sequence; delete from isccd_search.changes');
    const third = await start('one');
    expect(await stored(third)).toEqual([0, 1]);
    await stop(third);
    await query('update isccd_search.indexes set tag = gen_random_uuid()');
    expect(await stored(await start('one'))).toEqual([1]);
  });

  test('that missed changes applies them if the database has its history', async () => {
    const one = await filled();
    const two = await start('two');
    await stop(one);
    await add(two, 2);
    await hide(0);
    const again = await start('one');
    expect(await stored(again)).toEqual([0, 1, 2]);
    await stop(again);
    await add(two, 3);
    await query('update isccd_search.changes set tag = gen_random_uuid()');
    expect(await stored(await start('one'))).toEqual([1, 2, 3]);
  });
});
