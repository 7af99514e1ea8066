/** Both database engines behave alike. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DATABASE_FILE, type Database, openDatabase } from '../../src/storage/database/open.js';
import { blockWrites, copySqlite } from '../../src/storage/database/sqlite.js';
import { ENGINES, type TestDatabases, testDatabases } from '../support/databases.js';

const manifest = (id: string) => ({
  manifest_id: id,
  sha256: 'ab'.repeat(32),
  size: 2_097_152,
  uploaded_at: 1_763_700_000_123,
  trusted: 1 as const,
  uploader: 'cd'.repeat(32),
  live: 1 as const,
  deleted_at: null,
  binding_count: 1,
  unit_count: 0,
});

describe.each(ENGINES)('%s', (engine) => {
  let databases: TestDatabases;
  let place: { dataDir: string; url: string | undefined };
  let database: Database;
  beforeAll(async () => {
    databases = await testDatabases(engine);
    place = await databases.create();
    database = await openDatabase(place.url, place.dataDir);
  });
  afterAll(async () => {
    await database.close();
    await databases.stop();
  });

  it.runIf(engine === 'sqlite')('has files that only their owner can read', async () => {
    copySqlite(path.join(place.dataDir, DATABASE_FILE), path.join(place.dataDir, 'copy.sqlite'));
    const files = (await readdir(place.dataDir)).filter((name) => name.includes('.sqlite'));
    expect(files.length).toBeGreaterThan(2);
    for (const name of files) {
      const { mode } = await stat(path.join(place.dataDir, name));
      expect([name, mode & 0o777]).toEqual([name, 0o600]);
    }
  });

  // SQLite calls block: two connections in one process would wait for each other for ever.
  it.runIf(engine === 'postgres')('is migrated once by several concurrent opens', async () => {
    const fresh = await databases.create();
    const opened = await Promise.all([1, 2, 3].map(() => openDatabase(fresh.url, fresh.dataDir)));
    for (const { db, close } of opened) {
      expect(await db.selectFrom('feed').selectAll().execute()).toEqual([
        { id: 1, sequence: 0, forgotten: 0 },
      ]);
      await close();
    }
  });

  it.runIf(engine === 'sqlite')(
    'waits for a migration that takes longer than the busy time-out',
    async () => {
      const { dataDir } = await databases.create();
      const file = path.join(dataDir, 'store.sqlite');
      const hold = `const c = new (require('libsql'))(process.argv[1]); c.exec('pragma journal_mode = wal');
      c.exec('begin immediate'); console.log('held');
      setTimeout(() => c.exec('rollback'), 6000);`;
      const other = spawn(process.execPath, ['-e', hold, file], { stdio: ['ignore', 'pipe', 'inherit'] });
      await once(other.stdout, 'data');
      const { db, close } = await openDatabase(undefined, dataDir);
      expect(await db.selectFrom('feed').select('sequence').execute()).toEqual([{ sequence: 0 }]);
      await close();
    },
  );

  it.runIf(engine === 'sqlite').each(['a write', 'a transaction'])(
    'reads and commits normally after %s found the file locked',
    async (kind) => {
      const { dataDir } = await databases.create();
      const [first, second] = [
        await openDatabase(undefined, dataDir),
        await openDatabase(undefined, dataDir),
      ];
      const sequences = ({ db }: Database) => db.selectFrom('feed').select('sequence').execute();
      const write = ({ db }: Database, sequence: number) =>
        db.updateTable('feed').set({ sequence }).execute();
      const unlock = blockWrites(path.join(dataDir, 'store.sqlite'));
      const blocked = () =>
        kind === 'a write'
          ? write(first, 1)
          : first.db.transaction().execute((db) => db.updateTable('feed').set({ sequence: 1 }).execute());
      await expect(blocked()).rejects.toThrow('database is locked');
      unlock();
      await write(second, 2);
      expect(await sequences(first)).toEqual([{ sequence: 2 }]);
      await write(first, 3);
      expect(await sequences(second)).toEqual([{ sequence: 3 }]);
      await first.close();
      await second.close();
    },
  );

  it.runIf(engine === 'sqlite')(
    'reports the error of a failed migration, not that of the close',
    async () => {
      const { dataDir } = await databases.create();
      await writeFile(
        path.join(dataDir, 'store.sqlite'),
        'not a database, but longer than its header'.repeat(20),
      );
      await expect(openDatabase(undefined, dataDir)).rejects.toThrow('file is not a database');
    },
  );

  it('keeps its content over a reopen', async () => {
    const fresh = await databases.create();
    const first = await openDatabase(fresh.url, fresh.dataDir);
    await first.db.updateTable('feed').set({ sequence: 7 }).execute();
    await first.close();
    const { db, close } = await openDatabase(fresh.url, fresh.dataDir);
    expect(await db.selectFrom('feed').selectAll().execute()).toEqual([{ id: 1, sequence: 7, forgotten: 0 }]);
    await close();
  });

  it('returns values unchanged', async () => {
    const { db } = database;
    const { key } = await db
      .insertInto('manifests')
      .values(manifest('urn:c2pa:日本 😀'))
      .returning('key')
      .executeTakeFirstOrThrow();
    expect(key).toBeTypeOf('number');
    const value = Buffer.from([0, 255, 1, 254]);
    await db
      .insertInto('bindings')
      .values({ manifest_key: key, ordinal: 0, alg: 'a', value, units: null })
      .execute();
    expect(await db.selectFrom('manifests').selectAll().execute()).toEqual([
      {
        key,
        ...manifest('urn:c2pa:日本 😀'),
        index_version: 0,
        unknown_algorithms: null,
        certificate_expires: null,
        summary: null,
        publisher: null,
        displaced_by: null,
        kept_until: null,
        restored_at: null,
      },
    ]);
    const binding = await db.selectFrom('bindings').selectAll().executeTakeFirstOrThrow();
    const defaults = { units: null, alternate: 0, added: null };
    expect(binding).toEqual({ manifest_key: key, ordinal: 0, alg: 'a', value, ...defaults });
    expect(Buffer.isBuffer(binding.value)).toBe(true);
    const { count } = await db
      .selectFrom('manifests')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    expect(count).toBe(1);
  });

  it('accepts an id once, never reuses a key, and deletes the bindings of a manifest', async () => {
    const { db } = database;
    const insert = (id: string) =>
      db
        .insertInto('manifests')
        .values(manifest(id))
        .onConflict((conflict) => conflict.column('manifest_id').doNothing())
        .returning('key')
        .executeTakeFirst();
    const first = await insert('urn:x');
    expect(first).toBeDefined();
    expect(await insert('urn:x')).toBeUndefined();
    const key = first?.key ?? 0;
    await db
      .insertInto('bindings')
      .values({ manifest_key: key, ordinal: 0, alg: 'a', value: Buffer.of(1), units: null })
      .execute();
    await db.deleteFrom('manifests').where('key', '=', key).execute();
    expect(await db.selectFrom('bindings').selectAll().where('manifest_key', '=', key).execute()).toEqual([]);
    expect((await insert('urn:x'))?.key).toBeGreaterThan(key);
  });

  it('rolls a failed transaction back', async () => {
    const { db } = database;
    const failed = db.transaction().execute(async (transaction) => {
      await transaction.insertInto('manifests').values(manifest('urn:rolled')).execute();
      throw new Error('on purpose');
    });
    await expect(failed).rejects.toThrow('on purpose');
    expect(
      await db.selectFrom('manifests').selectAll().where('manifest_id', '=', 'urn:rolled').execute(),
    ).toEqual([]);
  });

  it('refuses a database of a newer version', async () => {
    const fresh = await databases.create();
    const { db, close } = await openDatabase(fresh.url, fresh.dataDir);
    await sql`update schema_version set version = 999`.execute(db);
    await sql`update schema_compatible set oldest = 999`.execute(db);
    await close();
    await expect(openDatabase(fresh.url, fresh.dataDir)).rejects.toThrow(
      /format 999, but this program supports formats up to \d+/,
    );
  });
});
