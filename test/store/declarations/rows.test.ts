/** Declaration rows in both databases: states and leases. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLogger } from '../../../src/platform/observe/log.js';
import { SigningKey } from '../../../src/platform/signing/key.js';
import type { Attempts } from '../../../src/services/store/declarations/attempts.js';
import { declarationNote } from '../../../src/services/store/declarations/iscc-note.js';
import { RetryLoop } from '../../../src/services/store/declarations/retry-loop.js';
import { DeclarationRows, type Leased, LeaseLost } from '../../../src/services/store/declarations/rows.js';
import { type Database, openDatabase } from '../../../src/storage/database/open.js';
import type { DeclarationInsert } from '../../../src/storage/database/tables.js';
import { ENGINES, type TestDatabases, testDatabases } from '../../support/databases.js';

const HUB = 'https://hub.example';
const LEASE_MS = 1000;
const content = { isccCode: 'ISCC:K', datahash: '1e20', units: ['ISCC:G'] };
const signer = { key: new SigningKey(Buffer.alloc(32, 5)), controller: 'did:web:x', hubId: 4095 };

describe.each(ENGINES)('%s', (engine) => {
  let databases: TestDatabases;
  let database: Database;
  let rows: DeclarationRows;
  beforeAll(async () => {
    databases = await testDatabases(engine);
    const { url, dataDir } = await databases.create();
    database = await openDatabase(url, dataDir);
    rows = new DeclarationRows(database.db, HUB, LEASE_MS);
  });
  afterAll(async () => {
    await database.close();
    await databases.stop();
  });

  async function insert(change: Partial<DeclarationInsert> = {}): Promise<number> {
    const row: DeclarationInsert = {
      live: 1,
      status: 'pending',
      hub: HUB,
      hub_id: 1,
      gateway: 'https://store.example/a',
      datahash: content.datahash,
      fields: JSON.stringify(content),
      open: 1,
      updated_at: 0,
      manifest_key: await manifest(),
      ...change,
    };
    const { key } = await database.db
      .insertInto('declarations')
      .values(row)
      .returning('key')
      .executeTakeFirstOrThrow();
    return key;
  }

  let manifests = 0;
  async function manifest(): Promise<number> {
    manifests += 1;
    const { key } = await database.db
      .insertInto('manifests')
      .values({
        manifest_id: `m${manifests}`,
        sha256: '',
        size: 1,
        uploaded_at: 0,
        trusted: 0,
        uploader: '',
        live: 1,
        deleted_at: null,
        binding_count: 0,
        unit_count: 0,
      })
      .returning('key')
      .executeTakeFirstOrThrow();
    return key;
  }

  async function lease(key: number, now: number): Promise<Leased> {
    const leased = await rows.lease(key, now);
    if (leased === undefined) throw new Error('not leased');
    return leased;
  }

  it('returns a state as it was saved', async () => {
    const key = await insert();
    const leased = await lease(key, 1000);
    expect(leased).toMatchObject({ content, hubId: 1, state: { status: 'pending', live: true } });
    const note = declarationNote(content, leased.state.gateway, '0.8.0', signer, 0);
    const uncertainty = { nonce: note.nonce, pubkey: 'z6Mk', forced: true, until: 7 };
    const state = { ...leased.state, note, forced: true, uncertainty, error: 'no response', pubkey: 'z6Mk' };
    await rows.save({ ...leased, state }, 1000);
    const again = await lease(key, 1000);
    expect(again.state).toEqual(state);
    expect(again.hubId).toBe(4095);
  });

  it('records a change when a live manifest gets its ISCC-ID, and only then', async () => {
    const changesOf = (manifest_key: number) =>
      database.db.selectFrom('changes').selectAll().where('manifest_key', '=', manifest_key).execute();
    const [key, manifest_key] = [await insert(), manifests];
    const { state, ...leased } = await lease(key, 1000);
    await rows.save({ ...leased, state }, 1000);
    expect(await changesOf(manifest_key)).toEqual([]);
    const again = await lease(key, 1000);
    const declared = { ...state, status: 'declared', isccId: 'ISCC:MAIWMDAMBQSYSEAB' } as const;
    await rows.save({ ...again, state: declared }, 1000);
    expect(await changesOf(manifest_key)).toMatchObject([{ live: 1 }]);
  });

  it('leases a row to one of several attempts', async () => {
    const key = await insert();
    const leases = await Promise.all([1, 2, 3, 4].map(() => rows.lease(key, 1000)));
    expect(leases.filter((leased) => leased !== undefined).length).toBe(1);
    expect(await rows.due(5000, 1500, 100)).not.toContain(key);
  });

  it('gives the row of a stalled attempt to the next one, and rejects the late result', async () => {
    const key = await insert();
    const stalled = await lease(key, 1000);
    expect(await rows.due(5000, 1000 + LEASE_MS + 1, 100)).toContain(key);
    const next = await lease(key, 1000 + LEASE_MS + 1);
    const state = { ...stalled.state, status: 'declared', isccId: 'ISCC:MAIWMDAMBQSYSEAB' } as const;
    await expect(rows.save({ ...stalled, state }, 3000)).rejects.toThrow(LeaseLost);
    await rows.save(next, 3000);
  });

  it('does not wait for the time before the clock was set back', async () => {
    const HOUR_MS = 3_600_000;
    const key = await insert();
    await lease(key, 10 * HOUR_MS);
    const now = 9 * HOUR_MS;
    expect(await rows.due(now, now, 100)).toContain(key);
    const { state, ...leased } = await lease(key, now);
    expect(await rows.due(now, now, 100)).not.toContain(key);
    await rows.save({ ...leased, state }, now);
    expect(await rows.due(now, now, 100)).not.toContain(key);
  });

  it('keeps a row open if its manifest was deleted during the attempt', async () => {
    const key = await insert();
    const leased = await lease(key, 1000);
    await database.db.updateTable('declarations').set({ live: 0 }).where('key', '=', key).execute();
    const state = { ...leased.state, status: 'declared', isccId: 'ISCC:MAIWMDAMBQSYSEAC' } as const;
    expect(await rows.save({ ...leased, state }, 1000)).toMatchObject({ live: false, status: 'declared' });
    expect(await rows.due(2000, 2000, 100)).toContain(key);
  });

  it('finds a later live manifest at the same address that is waiting', async () => {
    const gateway = 'https://store.example/successor';
    const earlier = await insert({ gateway, live: 0 });
    const only = await insert({ gateway });
    expect(await rows.hasSuccessor(await lease(earlier, 1000))).toBe(true);
    // An earlier manifest is not a successor.
    const later = await insert({ gateway, live: 0 });
    expect(await rows.hasSuccessor(await lease(later, 1000))).toBe(false);
    const declared = { status: 'declared' } as const;
    await database.db.updateTable('declarations').set(declared).where('key', '=', only).execute();
    expect(await rows.hasSuccessor(await lease(earlier, 5000))).toBe(false);
  });

  it('refuses the same ISCC-ID twice', async () => {
    await insert({ iscc_id: 'ISCC:MAIWMDAMBQSYSEAD' });
    await expect(insert({ iscc_id: 'ISCC:MAIWMDAMBQSYSEAD' })).rejects.toThrow();
  });

  it('keeps the row of a released manifest until it is settled', async () => {
    const key = await insert({ live: 0, uncertainty: '{}' });
    const leased = await lease(key, 1000);
    await database.db.deleteFrom('manifests').execute();
    await rows.save(leased, 1000);
    const again = await lease(key, 1000);
    await rows.save({ ...again, state: { ...again.state, status: 'skipped', uncertainty: undefined } }, 1000);
    expect(await rows.lease(key, 1000)).toBeUndefined();
  });

  it('a round attempts each declaration at most twice, also if the clock is set back meanwhile', async () => {
    const hub = `${HUB}/back`;
    const keys = [await insert({ hub }), await insert({ hub }), await insert({ hub })];
    const own = new DeclarationRows(database.db, hub, LEASE_MS);
    const hour = 3_600_000;
    let clock = 9 * hour;
    let attempts = 0;
    const run = async (key: number) => {
      attempts += 1;
      if (attempts === 2) clock -= hour;
      clock += 1;
      if (attempts > 100) return { unreachable: true };
      await database.db
        .updateTable('declarations')
        .set({ attempted_at: clock })
        .where('key', '=', key)
        .execute();
      return { unreachable: false };
    };
    const log = createLogger('silent');
    const ports = { rows: own, attempts: { run } as Attempts, log, now: () => clock, pauseMs: 1000 };
    await new RetryLoop(ports).round();
    expect(attempts).toBeLessThanOrEqual(2 * keys.length);
  });
});
