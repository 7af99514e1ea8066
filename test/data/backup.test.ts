/** Backup while services write, verify, restore, and verify of damaged backups. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { cp, mkdir, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { open as openLmdb } from 'lmdb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { native } from '../../src/native.js';
import { manifestFile } from '../../src/services/store/files/folder.js';
import { openDatabase } from '../../src/storage/database/open.js';
import { noise, uploaded } from '../codes/support/client.js';
import { acceptedSidecars, bytesOf } from '../store/support/fixtures.js';
import { MAIN } from '../support/serve.js';
import { temporary } from './support/folder.js';
import { isccd, type Services, servicesEnvironment, startServices } from './support/services.js';

const CONFIGURATION_INVALID = 2;
/** Writes before the backup starts; they continue while it runs. */
const WARM_UP = { codes: 12, search: 6, store: 8 };
const BATCH_ASSETS = 200;
const sidecars = acceptedSidecars();
const json = { 'Content-Type': 'application/json' };

let root: string;
let live: string;
let backup: string;
/** Start and end of the backup command. */
let began = 0;
let ended = 0;
const acknowledged = {
  media: [] as { id: string; bytes: Uint8Array; at: number }[],
  assets: [] as { id: string; at: number }[],
  manifests: [] as { id: string; bytes: Uint8Array; at: number }[],
};

/** Writes to all services until `isDone`. */
async function fill(services: Services, isDone: () => boolean): Promise<void> {
  const media = async () => {
    for (let seed = 1; !isDone(); seed += 1) {
      // Every third one gets a code, and so a digest in its result.
      const to = seed % 3 === 0 ? 'iscc' : 'media';
      const bytes = noise(2000 + seed, seed);
      const { media_id: id } = await uploaded(services.codes, `${seed}.bin`, bytes, { to });
      acknowledged.media.push({ id, bytes, at: Date.now() });
    }
  };
  const assets = async () => {
    await fetch(`${services.search}/indexes`, { method: 'POST', headers: json, body: '{"name":"main"}' });
    for (let batch = 0; !isDone(); batch += 1) {
      const entries = Array.from({ length: BATCH_ASSETS }, (_, at) => entry(batch * BATCH_ASSETS + at));
      const body = JSON.stringify(entries);
      const { status } = await fetch(`${services.search}/indexes/main/assets`, {
        method: 'POST',
        headers: json,
        body,
      });
      expect(status).toBe(201);
      for (const { iscc_id: id } of entries) acknowledged.assets.push({ id, at: Date.now() });
    }
  };
  const manifests = async () => {
    for (const item of sidecars) {
      if (isDone()) return;
      const bytes = bytesOf(item);
      expect((await services.store.upload(bytes)).status).toBe(200);
      acknowledged.manifests.push({ id: item.expect.manifestId ?? '', bytes, at: Date.now() });
      await sleep(20);
    }
  };
  await Promise.all([media(), assets(), manifests()]);
}

function entry(number: number) {
  const body = Buffer.alloc(32, 0);
  body.writeUInt32BE(number, 0);
  const units = [3, 4].map((main) => native.encodeUnit(main, 0, 0, 256, body));
  return { iscc_id: native.isccId(0, 1_700_000_000_000_000 + number, 1), units };
}

function warm(): boolean {
  const { media, assets, manifests } = acknowledged;
  return (
    media.length >= WARM_UP.codes &&
    assets.length >= WARM_UP.search * BATCH_ASSETS &&
    manifests.length >= WARM_UP.store
  );
}

beforeAll(async () => {
  root = await temporary();
  live = path.join(root, 'live');
  backup = path.join(root, 'backup');
  await mkdir(live);
  const services = await startServices(live);
  try {
    let isDone = false;
    const filling = fill(services, () => isDone);
    while (!warm()) await Promise.race([sleep(20), filling]);
    began = Date.now();
    const { code, stderr } = await isccd(['backup', backup, '--json'], servicesEnvironment(live));
    ended = Date.now();
    isDone = true;
    await filling;
    expect(code, stderr).toBe(0);
    // The services are still running, and their data is valid.
    expect(await isccd(['verify'], servicesEnvironment(live))).toMatchObject({ code: 0, stderr: '' });
  } finally {
    await services.stop();
  }
}, 180_000);
afterAll(() => rm(root, { recursive: true, force: true }));

/** A copy of the backup, for tests that change it. */
async function copied(): Promise<string> {
  const copy = path.join(await temporary(root), 'copy');
  await cp(backup, copy, { recursive: true });
  return copy;
}

it('was made while services were writing, and is valid', async () => {
  expect(acknowledged.assets.some(({ at }) => at > began && at < ended)).toBe(true);
  const { code, stdout, stderr } = await isccd(['verify', backup, '--json'], {});
  expect([code, stderr]).toEqual([0, '']);
  const report = JSON.parse(stdout) as { ok: boolean; counts: Record<string, Record<string, number>> };
  expect(report).toMatchObject({ ok: true, problems: [] });
  const before = (all: readonly { at: number }[]) => all.filter(({ at }) => at < began).length;
  expect(report.counts.codes?.uploads).toBeGreaterThanOrEqual(before(acknowledged.media));
  expect(report.counts.search?.main).toBeGreaterThanOrEqual(before(acknowledged.assets));
  expect(report.counts.store?.manifests).toBeGreaterThanOrEqual(before(acknowledged.manifests));
  expect((await readdir(root)).filter((name) => name.includes('partial'))).toEqual([]);
});

it('contains, after a restore, everything acknowledged before it started', async () => {
  const restored = await copied();
  const services = await startServices(restored);
  try {
    const before = <T extends { at: number }>(all: readonly T[]) => all.filter(({ at }) => at < began);
    for (const { id, bytes } of before(acknowledged.media)) {
      const response = await fetch(`${services.codes}/api/v1/media/${id}`);
      expect([id, response.status]).toEqual([id, 200]);
      expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true);
    }
    for (const { id, bytes } of before(acknowledged.manifests)) {
      const response = await services.store.get(id);
      expect([id, response.status]).toEqual([id, 200]);
      expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true);
    }
    for (const { id } of before(acknowledged.assets)) {
      const response = await fetch(`${services.search}/indexes/main/assets/${id}`);
      expect([id, response.status]).toEqual([id, 200]);
    }
  } finally {
    await services.stop();
  }
});

it('contains all else if the file of a manifest is lost, and names the manifest', async () => {
  const hurt = await copied();
  const [lost] = acknowledged.manifests.filter(({ at }) => at < began);
  if (lost === undefined) throw new Error('no manifest');
  const sha256 = createHash('sha256').update(lost.bytes).digest('hex');
  await rm(path.join(hurt, 'store', manifestFile(sha256)));
  const target = path.join(hurt, 'again');
  const made = await isccd(['backup', target, '--json'], servicesEnvironment(hurt));
  expect([made.code, made.stderr]).toEqual([1, '']);
  const { stores } = JSON.parse(made.stdout);
  expect(Object.keys(stores).sort()).toEqual(['codes', 'search', 'store']);
  expect(stores.store.notes).toEqual([
    `files of manifests are missing, all else was copied: ${lost.id}; upload these manifests again`,
  ]);
  const verified = JSON.parse((await isccd(['verify', target, '--json'], {})).stdout);
  expect(verified.problems).toMatchObject([{ key: lost.id }]);
  const services = await startServices(target);
  try {
    expect((await services.store.upload(lost.bytes)).status).toBe(200);
    const response = await services.store.get(lost.id);
    expect(Buffer.from(await response.arrayBuffer()).equals(lost.bytes)).toBe(true);
  } finally {
    await services.stop();
  }
});

it.each(['SIGTERM', 'SIGINT'] as const)('leaves nothing behind after %s', async (signal) => {
  const folder = await temporary(root);
  const env = { ...process.env, ...servicesEnvironment(live) };
  const child = spawn(process.execPath, [MAIN, 'backup', path.join(folder, 'made')], {
    env,
    stdio: 'ignore',
  });
  const exited = once(child, 'exit');
  const names = async () => (await readdir(folder)).join();
  await expect.poll(names, { timeout: 20_000, interval: 2 }).toContain('.partial');
  child.kill(signal);
  expect(await exited).toEqual([130, null]);
  expect(await names()).toBe('');
});

describe('verify reports', () => {
  /** Damages a copy. Returns the problems that verify reports. */
  async function problems(damage: (copy: string) => Promise<void>): Promise<string[]> {
    const copy = await copied();
    await damage(copy);
    const { code, stdout, stderr } = await isccd(['verify', copy], {});
    expect([code, stderr]).toEqual([1, '']);
    return stdout.split('\n').filter((line) => line.startsWith('problem '));
  }

  async function firstFile(folder: string): Promise<string> {
    const names = await readdir(folder, { recursive: true, withFileTypes: true });
    const found = names.find((entry) => entry.isFile());
    return path.join(found?.parentPath ?? '', found?.name ?? '');
  }

  async function flip(file: string): Promise<void> {
    const bytes = await readFile(file);
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
    await writeFile(file, bytes);
  }

  const storeFiles = (copy: string) => path.join(copy, 'store', 'files');

  it('a flipped byte in a manifest', async () => {
    const [line, ...more] = await problems(async (copy) => flip(await firstFile(storeFiles(copy))));
    expect(line).toMatch(
      /^problem {3}store: \S+: a file must have the digest and size in its row, but \/.* has /,
    );
    expect(more).toEqual([]);
  });

  it('a missing manifest, and a missing upload', async () => {
    const lines = await problems(async (copy) => {
      await rm(await firstFile(storeFiles(copy)));
      await rm(await firstFile(path.join(copy, 'codes', 'files')));
    });
    expect(lines).toContainEqual(
      expect.stringMatching(/^problem {3}store: \S+: a manifest must have its file, but/),
    );
    expect(lines).toContainEqual(expect.stringMatching(/^problem {3}codes: \w{13}: the file \S+ is missing/));
  });

  it('a flipped byte in an upload with a code, and in one without', async () => {
    const [withCode, without] = [2, 0].map((at) => acknowledged.media[at]?.id ?? '');
    const lines = await problems(async (copy) => {
      for (const id of [withCode, without])
        await flip(await firstFile(path.join(copy, 'codes', 'files', id ?? '')));
    });
    expect(lines).toContainEqual(expect.stringContaining(`but its result says`));
    expect(lines).toContainEqual(expect.stringContaining(`codes: files/${without}/`));
  });

  it('a truncated or missing database', async () => {
    for (const length of [20_000, 100, 0]) {
      const lines = await problems((copy) => truncate(path.join(copy, 'store', 'store.sqlite'), length));
      expect(lines).toContainEqual(
        expect.stringMatching(
          /^problem {3}store: \S*store(\.sqlite)?: (unreadable|every row must be readable): /,
        ),
      );
    }
  });

  it('truncated records and indexes', async () => {
    const lines = await problems(async (copy) => {
      for (const file of ['codes/records/data.mdb', 'search/main/data.mdb']) {
        const { length } = await readFile(path.join(copy, file));
        await truncate(path.join(copy, file), length - 8192);
      }
    });
    expect(lines).toContainEqual(
      expect.stringContaining('search: main: unreadable: the file is truncated: it has '),
    );
    expect(lines).toContainEqual(expect.stringContaining('codes: records/data.mdb: the backup recorded'));
  });

  it('a missing record, row and index', async () => {
    const lines = await problems(async (copy) => {
      const id = acknowledged.media[2]?.id ?? '';
      const records = openLmdb({ path: path.join(copy, 'codes', 'records'), maxDbs: 2 });
      await records.openDB('uploads', { encoding: 'json' }).remove(id);
      await records.close();
      const { db, close } = await openDatabase(undefined, path.join(copy, 'store'));
      await db.deleteFrom('bindings').where('ordinal', '=', 0).execute();
      await close();
      await rm(path.join(copy, 'search', 'main'), { recursive: true });
    });
    for (const problem of [
      `codes: ${acknowledged.media[2]?.id}: the result has no upload record`,
      'codes: uploads: the backup recorded',
      'search: main: the backup recorded',
      ': a manifest must have the number of bindings in its row',
      ': the bindings of a manifest must be those in its file',
      'store: binding_counts ',
    ]) {
      expect(lines).toContainEqual(expect.stringContaining(problem));
    }
  });
});

describe('is refused', () => {
  it('into a folder that is not empty, and without data', async () => {
    const { code, stderr } = await isccd(['backup', backup], servicesEnvironment(live));
    expect([code, stderr]).toEqual([
      1,
      `isccd: ${backup} is not empty; a backup needs a new or empty folder\n`,
    ]);
    const empty = await temporary(root);
    const nothing = await isccd(
      ['backup', path.join(empty, 'b')],
      servicesEnvironment(path.join(empty, 'none')),
    );
    expect([nothing.code, nothing.stderr]).toEqual([1, expect.stringContaining('nothing to back up')]);
    const unknown = await isccd(['verify', empty], {});
    expect([unknown.code, unknown.stderr]).toEqual([
      1,
      expect.stringContaining(`${empty} contains no data directory`),
    ]);
  });

  it.runIf(process.platform === 'linux')('where no folder can be made', async () => {
    const { code, stderr } = await isccd(['backup', '/proc/none/backup'], servicesEnvironment(live));
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^isccd: backup failed: ENOENT: .+\/proc\/none/),
    ]);
  });

  it('of a newer version, by verify and by backup', async () => {
    const copy = await copied();
    await writeFile(path.join(copy, 'store', 'FORMAT'), 'isccd store 9\n');
    const checked = await isccd(['verify', copy], {});
    expect([checked.code, checked.stderr]).toEqual([
      CONFIGURATION_INVALID,
      expect.stringContaining('has format 9'),
    ]);
    const again = await isccd(['backup', path.join(copy, 'b')], servicesEnvironment(copy));
    expect([again.code, again.stderr]).toEqual([
      CONFIGURATION_INVALID,
      expect.stringContaining('has format 9'),
    ]);
    await writeFile(path.join(copy, 'backup.json'), '{"format":2}');
    const manifest = await isccd(['verify', copy], {});
    expect([manifest.code, manifest.stderr]).toEqual([
      CONFIGURATION_INVALID,
      expect.stringContaining('has format 2'),
    ]);
  });
});
