/** The hash chain of the audit log: changed, added and removed entries show, on both engines. */
import path from 'node:path';
import { type Kysely, sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { recordAudit } from '../../src/storage/database/audit.js';
import {
  type AuditHead,
  auditHead,
  chainedHash,
  checkAuditChain,
  headText,
  NO_HASH,
  parsedHead,
} from '../../src/storage/database/audit-chain.js';
import { type Database, openDatabase } from '../../src/storage/database/open.js';
import { openSqlite } from '../../src/storage/database/sqlite.js';
import type { Db, Tables } from '../../src/storage/database/tables.js';
import { isccd } from '../support/command.js';
import { ENGINES, type TestDatabases, testDatabases } from '../support/databases.js';

const ACTOR = { kind: 'account', name: 'olga', origin: '203.0.113.9' } as const;

describe.each(ENGINES)('the chain of the audit log on %s', (engine) => {
  let databases: TestDatabases;
  const opened: Database[] = [];
  beforeAll(async () => {
    databases = await testDatabases(engine);
  });
  afterAll(async () => {
    await Promise.all(opened.map((database) => database.close()));
    await databases?.stop();
  });

  async function open(place?: { dataDir: string; url: string | undefined }): Promise<Database> {
    const { url, dataDir } = place ?? (await databases.create());
    const database = await openDatabase(url, dataDir);
    opened.push(database);
    return database;
  }

  /** A database with entries, whose triggers are removed as an attacker with access to it would. */
  async function unguarded(count: number): Promise<Db> {
    const { db } = await open();
    for (let at = 1; at <= count; at += 1) await record(db, `urn:${at}`);
    if (engine === 'postgres') await sql`drop trigger audit_no_change on audit`.execute(db);
    else
      for (const change of ['update', 'delete'])
        await sql`drop trigger ${sql.id(`audit_no_${change}`)}`.execute(db);
    return db;
  }

  const record = (db: Db, ...subjects: string[]) =>
    recordAudit(
      db,
      ACTOR,
      subjects.map((subject) => ({ action: 'manifest-deleted', subject, before: { state: 'live' } })),
    );

  /** The keys of the problems. */
  async function faults(db: Db, earlier?: AuditHead): Promise<string[]> {
    const keys: string[] = [];
    await checkAuditChain(db, earlier, (key) => keys.push(key));
    return keys;
  }

  test('is whole after writes at the same time, and after failed ones', async () => {
    const place = await databases.create();
    const first = await open(place);
    // SQLite blocks the thread while another connection writes.
    const second = engine === 'sqlite' ? first : await open(place);
    expect(await auditHead(first.db)).toEqual({ entries: 0, hash: NO_HASH });
    await Promise.all(
      Array.from({ length: 24 }, (_, at) => {
        const { db } = at % 2 === 0 ? first : second;
        if (at % 3 !== 0) return record(db, `urn:${at}`, `urn:${at}\ud800 and more`);
        const failed = db.transaction().execute(async (transaction) => {
          await record(transaction, `urn:failed-${at}`);
          throw new Error('on purpose');
        });
        return expect(failed).rejects.toThrow('on purpose');
      }),
    );
    expect(await faults(first.db)).toEqual([]);
    expect((await auditHead(second.db)).entries).toBe(32);
    await record(first.db, ...Array.from({ length: 1203 }, (_, at) => `urn:many-${at}`));
    expect(await faults(second.db)).toEqual([]);
    expect((await auditHead(second.db)).entries).toBe(1235);
  });

  test.each([
    ['a changed actor', sql`update audit set actor = 'ada' where key = 3`, ['audit log entry 3']],
    ['a changed origin', sql`update audit set origin = null where key = 3`, ['audit log entry 3']],
    ['a changed state', sql`update audit set state_before = '{}' where key = 3`, ['audit log entry 3']],
    ['a changed time', sql`update audit set at = at + 1 where key = 1`, ['audit log entry 1']],
    ['a removed entry', sql`delete from audit where key = 2`, ['audit log entry 3', 'audit log']],
    ['a removed last entry', sql`delete from audit where key = 5`, ['audit log']],
    ['no entries at all', sql`delete from audit`, ['audit log']],
    [
      'a removed hash',
      sql`update audit set hash = '' where key = 4`,
      ['audit log entry 4', 'audit log entry 5'],
    ],
    [
      'another order',
      sql`update audit set subject = case subject when 'urn:2' then 'urn:3' else 'urn:2' end where key in (2, 3)`,
      ['audit log entry 2', 'audit log entry 3'],
    ],
    [
      'an added entry',
      sql`insert into audit (at, actor_kind, action, hash) values (1, 'store', 'login', ${'0'.repeat(64)})`,
      ['audit log entry 6', 'audit log'],
    ],
    ['another head', sql`update audit_chain set hash = ${'1'.repeat(64)}`, ['audit log']],
    ['another number', sql`update audit_chain set entries = 4`, ['audit log']],
  ])('shows %s', async (_, change, problems) => {
    const db = await unguarded(5);
    expect(await faults(db)).toEqual([]);
    await change.execute(db);
    expect(await faults(db)).toEqual(problems);
  });

  test('shows a chain that was computed again, if an earlier head is known', async () => {
    const db = await unguarded(4);
    const noted = await auditHead(db);
    await record(db, 'urn:later');
    expect(await faults(db, noted)).toEqual([]);
    await sql`update audit set actor = 'ada' where key = 2`.execute(db);
    let hash = NO_HASH;
    for (const row of await db.selectFrom('audit').selectAll().orderBy('key').execute()) {
      hash = chainedHash(hash, row);
      await db.updateTable('audit').set({ hash }).where('key', '=', row.key).execute();
    }
    await db.updateTable('audit_chain').set({ hash }).execute();
    expect(await faults(db)).toEqual([]);
    expect(await faults(db, noted)).toEqual(['audit log']);
    expect(await faults(db, { entries: 99, hash })).toEqual(['audit log']);
    expect(parsedHead(headText(noted))).toEqual(noted);
    for (const text of ['', '4', `4:${'g'.repeat(64)}`, `-1:${noted.hash}`])
      expect(parsedHead(text)).toBeUndefined();
  });
});

test('verify and backups have the head, and a changed entry is a problem', async () => {
  const databases = await testDatabases('sqlite');
  const { dataDir } = await databases.create();
  try {
    const environment = { cwd: dataDir, env: { ISCCD_DATA_DIR: dataDir, DATABASE_URL: '' } };
    const run = (...args: string[]) => isccd(args, environment);
    const add = await isccd(['store', 'account', 'add', 'ada', '--password-stdin'], {
      ...environment,
      input: 'a password of many words',
    });
    expect([add.code, add.stderr]).toEqual([0, expect.stringContaining('created')]);
    const made = JSON.parse((await run('backup', 'copy', '--json')).stdout);
    const head: string = made.stores.store.auditHead;
    expect(head).toMatch(/^1:[0-9a-f]{64}$/);
    const { stdout } = await run('verify', 'copy');
    expect(stdout).toContain(`audit log ${head}\nstore log 0:`);
    expect(stdout).toContain('no problems\n');
    expect(JSON.parse((await run('verify', '--json', '--audit-head', head)).stdout)).toMatchObject({
      ok: true,
      auditHead: head,
    });
    expect(await run('verify', '--audit-head', 'x')).toMatchObject({ code: 2 });
    const other = await run('verify', '--audit-head', `1:${'a'.repeat(64)}`);
    expect([other.code, other.stdout]).toEqual([1, expect.stringContaining('must contain the earlier head')]);
    const file = openSqlite(path.join(dataDir, 'store', 'store.sqlite')) as Kysely<Tables>;
    await sql`drop trigger audit_no_update`.execute(file);
    await sql`update audit set actor = 'ghost'`.execute(file);
    await file.destroy();
    const changed = await run('verify');
    expect([changed.code, changed.stdout]).toEqual([
      1,
      expect.stringContaining('problem   store: audit log entry 1: an entry must have the hash'),
    ]);
  } finally {
    await databases.stop();
  }
});
