/** Backup, verify and restore of a store on PostgreSQL and of exact indexes. */
import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { acceptedSidecars, bytesOf } from '../store/support/fixtures.js';
import { POSTGRES_BIN, type PostgresServer, startPostgres } from '../support/postgres.js';
import { temporary } from './support/folder.js';
import { isccd, servicesEnvironment, startServices } from './support/services.js';

const BEFORE = 6;
const manifests = acceptedSidecars().map((item) => ({
  id: item.expect.manifestId ?? '',
  bytes: bytesOf(item),
}));

let root: string;
let server: PostgresServer;
let live: { folder: string; url: string };
let backup: string;

/** Data folders, database and the path of `pg_dump`. */
function extra(folder: string, url: string): Record<string, string> {
  return {
    DATABASE_URL: url,
    INDEXSVC_INDEX_URI: `lmdb://${path.join(folder, 'search')}`,
    PATH: `${POSTGRES_BIN}${path.delimiter}${process.env.PATH}`,
  };
}

const environment = (folder: string, url: string) => servicesEnvironment(folder, extra(folder, url));

beforeAll(async () => {
  root = await temporary();
  server = await startPostgres();
  live = { folder: path.join(root, 'live'), url: await server.createDatabase() };
  backup = path.join(root, 'backup');
  await mkdir(live.folder);
  const services = await startServices(live.folder, extra(live.folder, live.url));
  try {
    const upload = async (from: number, to: number) => {
      for (const { bytes } of manifests.slice(from, to))
        expect((await services.store.upload(bytes)).status).toBe(200);
    };
    await upload(0, BEFORE);
    expect((await services.store.remove(manifests[0]?.id ?? '')).status).toBe(204);
    const [ended] = await Promise.all([
      isccd(['backup', backup, '--json'], environment(live.folder, live.url)),
      upload(BEFORE, manifests.length),
    ]);
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    const { counts } = JSON.parse(ended.stdout).stores.store;
    expect(counts).toMatchObject({ tombstones: 1 });
    expect(counts.manifests).toBeGreaterThanOrEqual(BEFORE - 1);
    expect(await isccd(['verify'], environment(live.folder, live.url))).toMatchObject({
      code: 0,
      stderr: '',
    });
  } finally {
    await services.stop();
  }
}, 180_000);
afterAll(async () => {
  await server?.stop();
  await rm(root, { recursive: true, force: true });
});

it('is valid, and verify reports a changed or missing file', async () => {
  expect(await isccd(['verify', backup], {})).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('no problems'),
    stderr: expect.stringContaining('rows not checked'),
  });
  const copy = path.join(root, 'copy');
  await cp(backup, copy, { recursive: true });
  await writeFile(path.join(copy, 'store', 'store.pgdump'), 'no dump', { flag: 'a' });
  const [folder = ''] = await readdir(path.join(copy, 'store', 'files'));
  const [file = ''] = await readdir(path.join(copy, 'store', 'files', folder));
  await rm(path.join(copy, 'store', 'files', folder, file));
  const { code, stdout } = await isccd(['verify', copy], {});
  expect(code).toBe(1);
  expect(stdout.match(/^problem .*/gm)).toEqual([
    expect.stringContaining('store: store.pgdump: the backup recorded'),
    expect.stringMatching(`store: files/${folder}/${file}: the backup recorded .* is missing`),
  ]);
});

it('contains, after a restore, everything acknowledged before it started', async () => {
  const folder = path.join(root, 'restored');
  await cp(backup, folder, { recursive: true });
  const url = await server.createDatabase();
  const dump = path.join(folder, 'store', 'store.pgdump');
  await promisify(execFile)(path.join(POSTGRES_BIN, 'pg_restore'), ['--no-owner', `--dbname=${url}`, dump]);
  const services = await startServices(folder, extra(folder, url));
  try {
    for (const [at, { id, bytes }] of manifests.slice(0, BEFORE).entries()) {
      const response = await services.store.get(id);
      expect([id, response.status]).toEqual([id, at === 0 ? 410 : 200]);
      if (at > 0) expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true);
    }
  } finally {
    await services.stop();
  }
  const sound = await isccd(['verify', '--json'], environment(folder, url));
  expect(sound).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(sound.stdout)).toMatchObject({ ok: true, counts: { store: { tombstones: 1 } } });

  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('delete from bindings where ordinal = 0');
  await client.end();
  const { code, stdout } = await isccd(['verify'], environment(folder, url));
  expect(code).toBe(1);
  expect(stdout).toContain(': a manifest must have the number of bindings in its row');
  expect(stdout).toContain(': the bindings of a manifest must be those in its file');
});

it('is made of a database with several hosts, of which one is away', async () => {
  const target = path.join(root, 'several');
  const several = live.url.replace('host=', `host=${encodeURIComponent('/nowhere,')}`);
  const made = await isccd(['backup', target, '--json'], environment(live.folder, several));
  expect(made).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(made.stdout).stores.store.counts).toMatchObject({ tombstones: 1 });
});

it('fails without pg_dump, or if the database is unreachable', async () => {
  const target = path.join(root, 'none');
  const withoutDump = await isccd(['backup', target], { ...environment(live.folder, live.url), PATH: root });
  expect(withoutDump).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('pg_dump is not on the PATH'),
  });
  const unreached = await isccd(['backup', target], environment(live.folder, 'postgres://127.0.0.1:1/none'));
  expect(unreached).toMatchObject({ code: 1, stderr: expect.stringContaining('backup failed') });
  expect((await readdir(root)).filter((name) => name.startsWith('none'))).toEqual([]);
});
