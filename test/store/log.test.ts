/** The store's transparency log: what it records, what it serves, and that dropped, changed and backdated entries show. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { native } from '../../src/native.js';
import { generateSecretKey, SigningKey } from '../../src/platform/signing/key.js';
import { checkStoreLog, storeLogHead } from '../../src/services/store/log/check.js';
import { recordOf, statementOf } from '../../src/services/store/log/entries.js';
import { logOrigin } from '../../src/services/store/log/store-log.js';
import type { Receipt } from '../../src/services/store/receipts.js';
import type { AuditHead } from '../../src/storage/database/audit-chain.js';
import { type Database, openDatabase } from '../../src/storage/database/open.js';
import type { Db } from '../../src/storage/database/tables.js';
import { isccd } from '../support/command.js';
import { ENGINES, type TestDatabases, testDatabases } from '../support/databases.js';
import { acceptedSidecars, bytesOf } from './support/fixtures.js';
import { startStoreProcess } from './support/process.js';
import { type Place, STORE_URL, type StoreClient, startStore, storeEnvironment } from './support/server.js';

const SECRET = generateSecretKey();
const KEY = SigningKey.parse(SECRET).publicKey;
const ORIGIN = logOrigin(STORE_URL);
const [first, second, third] = acceptedSidecars();
if (first === undefined || second === undefined || third === undefined) throw new Error('no sidecars');
const idOf = ({ expect: { manifestId = '' } }: typeof first) => manifestId;

interface Entry {
  readonly act: string;
  readonly at: string;
  readonly statement: string;
}

/** The entries in a bundle. */
function entriesIn(bundle: Buffer): Entry[] {
  const entries: Entry[] = [];
  for (let at = 0; at < bundle.length; ) {
    const end = at + 2 + bundle.readUInt16BE(at);
    entries.push(JSON.parse(bundle.subarray(at + 2, end).toString()) as Entry);
    at = end;
  }
  return entries;
}

const get = async (store: StoreClient, file: string) => {
  const response = await fetch(`${store.url}/log/${file}`);
  return {
    status: response.status,
    headers: response.headers,
    bytes: Buffer.from(await response.arrayBuffer()),
  };
};

const headIn = (note: Buffer) => {
  const { size, root, refused } = native.judgeLogCheckpoint(note, ORIGIN, [KEY]);
  if (size == null || root == null) throw new Error(refused ?? '');
  return { size, root };
};

const receiptOf = async (store: StoreClient, id: string) =>
  (await (await fetch(`${store.url}/v1/manifests/${encodeURIComponent(id)}/receipt`)).json()) as Receipt;

it('the form of entries stays', () => {
  const manifest = { manifestId: 'urn:c2pa:1', sha256: '00'.repeat(32), size: 7 };
  const statement = statementOf(manifest);
  expect(statement.toString('hex')).toBe('981be7d4f327171a35f8136b2187fdbea7a55ceae086fa08715fd914f10bcccd');
  expect(recordOf({ act: 'stored', at: 0, statement }).toString()).toBe(
    `{"act":"stored","at":"1970-01-01T00:00:00.000Z","statement":"${statement.toString('hex')}"}`,
  );
});

describe.each(ENGINES)('the log on %s', (engine) => {
  let databases: TestDatabases;
  let place: Place;
  let store: StoreClient;
  let database: Database;
  beforeAll(async () => {
    databases = await testDatabases(engine);
    place = await databases.create();
    store = await startStore(place, { MSTORE_SECKEY: SECRET });
    database = await openDatabase(place.url, place.dataDir);
  });
  afterAll(async () => {
    await store?.stop();
    await database?.close();
    await databases?.stop();
  });

  it('begins empty, with a signed checkpoint', async () => {
    const { status, headers, bytes } = await get(store, 'checkpoint');
    expect([status, headers.get('content-type'), headIn(bytes).size]).toEqual([
      200,
      'text/plain; charset=utf-8',
      0,
    ]);
    expect(bytes.toString().split('\n')[0]).toBe('store.example/base/log');
    expect((await get(store, 'tile/0/000.p/1')).status).toBe(404);
  });

  it('has an entry for each act, in order, which names no manifest', async () => {
    await store.upload(bytesOf(first));
    await store.upload(bytesOf(first));
    await store.upload(bytesOf(second));
    await store.remove(idOf(first));
    const { bytes } = await get(store, 'tile/entries/000.p/3');
    const entries = entriesIn(bytes);
    expect(entries.map(({ act }) => act)).toEqual(['stored', 'stored', 'deleted']);
    expect(entries[0]?.statement).toBe(entries[2]?.statement);
    expect(bytes.toString()).not.toContain(idOf(first));
    const receipt = await receiptOf(store, idOf(second));
    expect(entries[1]).toEqual({
      act: 'stored',
      at: receipt.storedAt,
      statement: statementOf(receipt).toString('hex'),
    });
    expect(headIn((await get(store, 'checkpoint')).bytes).size).toBe(3);
  });

  it('serves tiles that give its root, and nothing that it does not have', async () => {
    const { size, root } = headIn((await get(store, 'checkpoint')).bytes);
    const { bytes, headers } = await get(store, `tile/0/000.p/${size}`);
    expect((await native.logHashesRoot(bytes)).equals(root)).toBe(true);
    expect(headers.get('cache-control')).toBe('max-age=10');
    const bundle = (await get(store, `tile/entries/000.p/${size}`)).bytes;
    const roots = await native.logBundleRoots([{ block: 0, width: size, bytes: bundle }]);
    expect(roots?.equals(root)).toBe(true);
    for (const name of [
      `tile/0/000.p/${size + 1}`,
      'tile/0/000',
      'tile/0/000.p/0',
      'tile/0/0',
      'tile/1/000.p/1',
      'tile/6/000.p/1',
      'tile/63/000.p/1',
      'tile/entries/000',
      'tile/entries/001.p/1',
      'tile/entries/x999/999.p/1',
      'tile/0/000.p/00001',
      'checkpoint/',
      'other',
    ])
      expect([name, (await get(store, name)).status]).toEqual([name, 404]);
  });

  it('is the same from another instance, with one order of the entries of both', async () => {
    const place = await databases.create();
    const [one, other] = [
      await startStore(place, { MSTORE_SECKEY: SECRET }),
      await startStore(place, { MSTORE_SECKEY: SECRET }),
    ];
    const sidecars = acceptedSidecars().slice(0, 12);
    const upload = async (at: number, item: typeof first) =>
      (await (at % 2 === 0 ? one : other).upload(bytesOf(item))).status;
    const statuses: number[] = [];
    // In one process, SQLite blocks the thread that would end the transaction of the other connection.
    if (engine === 'sqlite')
      for (const [at, item] of sidecars.entries()) statuses.push(await upload(at, item));
    else statuses.push(...(await Promise.all(sidecars.map((item, at) => upload(at, item)))));
    expect(new Set(statuses)).toEqual(new Set([200]));
    const [a, b] = [await get(one, 'checkpoint'), await get(other, 'checkpoint')];
    expect(a.bytes.toString()).toBe(b.bytes.toString());
    expect(headIn(a.bytes).size).toBe(sidecars.length);
    const { db, close } = await openDatabase(place.url, place.dataDir);
    expect(await problemsOf(db)).toEqual([]);
    await close();
    await Promise.all([one.stop(), other.stop()]);
  });

  it('is not served without a key, and written all the same', async () => {
    const place = await databases.create();
    const keyless = await startStore(place);
    await keyless.upload(bytesOf(first));
    expect((await get(keyless, 'checkpoint')).status).toBe(404);
    expect(await keyless.json('/log/tile/entries/000.p/1')).toEqual({
      detail: 'The store signs no log: it has no key (MSTORE_SECKEY)',
    });
    await keyless.stop();
    const keyed = await startStore(place, { MSTORE_SECKEY: SECRET });
    expect(headIn((await get(keyed, 'checkpoint')).bytes).size).toBe(1);
    expect((await receiptOf(keyed, idOf(first))).anchor.proof.log.leafIndex).toBe(0);
    await keyed.stop();
  });

  it('has the entries of all uploads that were acknowledged before a crash', async () => {
    const place = await databases.create();
    const crashing = await startStoreProcess(place, { MSTORE_SECKEY: SECRET });
    const receipts: Receipt[] = [];
    const uploads = acceptedSidecars().map(async (item) => {
      const answer = await crashing.upload(bytesOf(item), '?returnReceipt=1').catch(() => undefined);
      const text = await answer?.text().catch(() => undefined);
      if (text === undefined || answer?.status !== 200) return;
      receipts.push((JSON.parse(text) as { receipt: Receipt }).receipt);
      if (receipts.length === 5) await crashing.kill();
    });
    await Promise.all(uploads);
    expect(receipts.length).toBeGreaterThanOrEqual(5);
    const again = await startStore(place, { MSTORE_SECKEY: SECRET });
    for (const receipt of receipts) {
      const { manifestId } = receipt;
      expect(await receiptOf(again, manifestId)).toEqual(receipt);
      const verified = await again.json(`/v1/manifests/${encodeURIComponent(manifestId)}/receipts`);
      expect(verified).toMatchObject({ verified: true });
    }
    await again.stop();
    const { db, close } = await openDatabase(place.url, place.dataDir);
    expect(await problemsOf(db)).toEqual([]);
    await close();
  });

  it('can not be changed by this program', async () => {
    const { db } = database;
    await expect(db.deleteFrom('log_entries').execute()).rejects.toThrow('append-only');
    await expect(db.updateTable('log_entries').set({ at: 1 }).execute()).rejects.toThrow('append-only');
  });

  describe('a check finds', () => {
    /** A database with entries, whose triggers are removed as an attacker with access to it would. */
    const unguarded = async (work: (db: Db, head: AuditHead) => Promise<void>) => {
      const place = await databases.create();
      const attacked = await startStore(place, { MSTORE_SECKEY: SECRET });
      for (const item of [first, second, third]) await attacked.upload(bytesOf(item));
      await attacked.remove(idOf(second));
      const { db, close } = await openDatabase(place.url, place.dataDir);
      if (engine === 'postgres') await sql`drop trigger log_entries_no_change on log_entries`.execute(db);
      else
        for (const change of ['update', 'delete'])
          await sql`drop trigger ${sql.id(`log_entries_no_${change}`)}`.execute(db);
      try {
        expect(await problemsOf(db)).toEqual([]);
        await work(db, await storeLogHead(db));
      } finally {
        await close();
        await attacked.stop();
      }
    };

    it('a changed time or statement', () =>
      unguarded(async (db) => {
        await db.updateTable('log_entries').set({ at: 5 }).where('leaf', '=', 1).execute();
        expect(await problemsOf(db)).toEqual(['store log entry 1', 'store log', idOf(second)]);
      }));

    it('an entry that was removed in between, and at the end', () =>
      unguarded(async (db) => {
        await db.deleteFrom('log_entries').where('leaf', '=', 3).execute();
        expect(await problemsOf(db)).toEqual(['store log', idOf(second)]);
        await db.deleteFrom('log_entries').where('leaf', '=', 0).execute();
        expect(await problemsOf(db)).toContain('store log entry 0');
      }));

    it('a manifest that was dropped, made live again, or backdated', () =>
      unguarded(async (db) => {
        await db
          .updateTable('manifests')
          .set({ uploaded_at: 5 })
          .where('manifest_id', '=', idOf(first))
          .execute();
        await db.updateTable('manifests').set({ live: 1 }).where('manifest_id', '=', idOf(second)).execute();
        await db.deleteFrom('declarations').execute();
        await db.deleteFrom('manifests').where('manifest_id', '=', idOf(third)).execute();
        expect(await problemsOf(db)).toEqual([idOf(first), idOf(second), 'store log entry 2']);
      }));

    it('with an earlier head, also a log that was computed again', () =>
      unguarded(async (db, earlier) => {
        expect(await problemsOf(db, { ...earlier, entries: 2 })).toEqual(['store log']);
        expect(await problemsOf(db, earlier)).toEqual([]);
        const rows = await db.selectFrom('log_entries').selectAll().orderBy('leaf').execute();
        const changed = rows.map((row) => (row.leaf === 3 ? { ...row, at: row.at + 1 } : row));
        const { nodes, peaks } = native.appendToLog(0, Buffer.alloc(0), changed.map(recordOf));
        await db.deleteFrom('log_entries').execute();
        await db
          .insertInto('log_entries')
          .values(changed.map((row, at) => ({ ...row, nodes: nodes[at] ?? row.nodes })))
          .execute();
        await db.updateTable('log_head').set({ peaks }).execute();
        expect(await problemsOf(db)).toEqual([]);
        expect(await problemsOf(db, earlier)).toEqual(['store log']);
      }));
  });
});

/** The keys of the problems. */
async function problemsOf(db: Db, earlier?: AuditHead): Promise<string[]> {
  const keys: string[] = [];
  await checkStoreLog(db, earlier, (key) => keys.push(key));
  return keys;
}

describe('isccd', () => {
  let databases: TestDatabases;
  let place: Place;
  let store: StoreClient;
  let folder: string;
  let receipt: Receipt;
  beforeAll(async () => {
    databases = await testDatabases('sqlite');
    folder = await mkdtemp(path.join(tmpdir(), 'isccd-log-'));
    place = await databases.create();
    store = await startStore(place, { MSTORE_SECKEY: SECRET });
    await store.upload(bytesOf(first));
    await store.upload(bytesOf(second));
    receipt = await receiptOf(store, idOf(second));
    await store.upload(bytesOf(third));
  });
  afterAll(async () => {
    await store?.stop();
    await databases?.stop();
    await rm(folder, { recursive: true, force: true });
  });
  const file = async (name: string, content: string) => {
    await writeFile(path.join(folder, name), content);
    return path.join(folder, name);
  };

  it('store verify-receipt compares the receipt with the log of today', async () => {
    const name = await file('receipt.json', JSON.stringify(receipt));
    const offline = await isccd(['store', 'verify-receipt', name, '--key', KEY]);
    expect([offline.code, offline.stdout]).toEqual([
      0,
      expect.stringContaining('log        entry 1 is in the checkpoint with 2 entries; not compared'),
    ]);
    const online = await isccd(['store', 'verify-receipt', name, '--key', KEY, '--log', store.url]);
    expect([online.code, online.stderr, online.stdout]).toEqual([
      0,
      '',
      expect.stringContaining('with which the log of today, of 3 entries, begins'),
    ]);
    // The log of another store of the same name and key, which never had the manifest.
    const fork = await startStore(await databases.create(), { MSTORE_SECKEY: SECRET });
    const shorter = await isccd(['store', 'verify-receipt', name, '--key', KEY, '--log', fork.url]);
    expect([shorter.code, shorter.stderr]).toEqual([
      1,
      expect.stringContaining('it has 0 entries, but had 2: entries were dropped'),
    ]);
    for (const item of [first, third, second]) await fork.upload(bytesOf(item));
    const other = await isccd(['store', 'verify-receipt', name, '--key', KEY, '--log', fork.url]);
    expect([other.code, other.stderr]).toEqual([
      1,
      expect.stringContaining('its first 2 entries are not those of the earlier checkpoint'),
    ]);
    const headers = { 'Content-Type': 'application/json' };
    const at = `${fork.url}/v1/manifests/${encodeURIComponent(idOf(second))}/receipts`;
    const response = await fetch(at, { method: 'POST', headers, body: JSON.stringify(receipt) });
    expect(await response.json()).toMatchObject({
      verified: false,
      error: expect.stringContaining('no longer has the checkpoint of the receipt'),
    });
    await fork.stop();
  });

  it('store check-log keeps a checkpoint and finds a log that does not begin with it', async () => {
    const kept = path.join(folder, 'checkpoint');
    const check = (url: string, ...args: string[]) =>
      isccd(['store', 'check-log', url, '--key', KEY, '--origin', ORIGIN, '--kept', kept, ...args]);
    const begun = await check(store.url, '--entries');
    expect([begun.code, begun.stderr, begun.stdout]).toEqual([
      0,
      '',
      expect.stringContaining(`${ORIGIN}, 3 entries`),
    ]);
    expect(await readFile(kept, 'utf8')).toBe((await get(store, 'checkpoint')).bytes.toString());
    await store.remove(idOf(third));
    const more = await check(store.url, '--json');
    expect(more.stderr).toBe('');
    expect([more.code, JSON.parse(more.stdout)]).toEqual([
      0,
      expect.objectContaining({ origin: ORIGIN, entries: 4, earlierEntries: 3 }),
    ]);
    const fork = await startStore(await databases.create(), { MSTORE_SECKEY: SECRET });
    for (const item of [first, second]) await fork.upload(bytesOf(item));
    expect((await check(fork.url)).stderr).toContain('it has 2 entries, but had 4: entries were dropped');
    await fork.stop();
    const other = SigningKey.parse(generateSecretKey()).publicKey;
    const unsigned = await isccd(['store', 'check-log', store.url, '--key', other, '--origin', ORIGIN]);
    expect([unsigned.code, unsigned.stderr]).toEqual([
      1,
      expect.stringContaining('checkpoint is refused: unsigned'),
    ]);
  });

  it('verify computes the log again, and has its head for a later check', async () => {
    const verified = await isccd(['verify', place.dataDir, '--json']);
    const { ok, logHead } = JSON.parse(verified.stdout) as { ok: boolean; logHead: string };
    expect([ok, logHead]).toEqual([true, expect.stringMatching(/^4:[0-9a-f]{64}$/)]);
    expect((await isccd(['verify', place.dataDir, '--log-head', logHead])).code).toBe(0);
    const other = await isccd(['verify', place.dataDir, '--log-head', `4:${'0'.repeat(64)}`]);
    expect([other.code, other.stdout]).toEqual([
      1,
      expect.stringContaining('it must contain the earlier head 4:0000'),
    ]);
  });

  it('store restore is an entry, too, and the log still fits the manifests', async () => {
    const env = storeEnvironment(place);
    const restored = await isccd(['store', 'restore', idOf(third)], { env });
    expect([restored.code, restored.stderr]).toEqual([0, expect.any(String)]);
    const acts = entriesIn((await get(store, 'tile/entries/000.p/5')).bytes).map(({ act }) => act);
    expect(acts).toEqual(['stored', 'stored', 'stored', 'deleted', 'restored']);
    expect((await isccd(['verify', place.dataDir])).stdout).toContain('no problems');
  });
});
