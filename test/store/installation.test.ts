/** A store starts only with the data folder of its own database. */
import { randomUUID } from 'node:crypto';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../src/storage/database/open.js';
import { ENGINES, type TestDatabases, testDatabases } from '../support/databases.js';
import { bytesOf, sidecar } from './support/fixtures.js';
import { type Place, type StoreClient, startStore } from './support/server.js';

const item = sidecar('ok-ed25519');

describe.each(ENGINES)('on %s', (engine) => {
  let databases: TestDatabases;
  /** A database outside of its data folder, as several processes share it. */
  let place: Place;
  beforeAll(async () => {
    databases = await testDatabases(engine);
  });
  afterAll(() => databases.stop());
  beforeEach(async () => {
    const { dataDir, url } = await databases.create();
    const folder = path.join(dataDir, 'manifests');
    await mkdir(folder);
    place = { dataDir: folder, url: url ?? `sqlite:///${path.join(dataDir, 'store.sqlite')}` };
  });

  async function started(at: Place = place): Promise<StoreClient> {
    const store = await startStore(at);
    onTestFinished(() => store.stop());
    return store;
  }

  /** Starts and stops a store with one manifest. */
  async function used(): Promise<void> {
    const store = await startStore(place);
    expect((await store.upload(bytesOf(item))).status).toBe(200);
    await store.stop();
  }

  async function otherFolder(): Promise<Place> {
    const dataDir = path.join(path.dirname(place.dataDir), randomUUID());
    await mkdir(dataDir);
    return { ...place, dataDir };
  }

  /** Removes the ids, which earlier versions did not have. */
  async function forget(): Promise<void> {
    await rm(path.join(place.dataDir, 'INSTALLATION'));
    const { db, close } = await openDatabase(place.url, place.dataDir);
    await db.deleteFrom('installation').execute();
    await close();
  }

  const idOf = async ({ dataDir }: Place) =>
    (await readFile(path.join(dataDir, 'INSTALLATION'), 'utf8')).trim();

  it('starts again, and a second process with the same folder starts too', async () => {
    await used();
    const id = await idOf(place);
    const stores = await Promise.all([started(), started()]);
    for (const store of stores) expect((await store.get(item.expect.manifestId ?? '')).status).toBe(200);
    expect(await idOf(place)).toBe(id);
    expect((await readdir(place.dataDir)).filter((name) => name.startsWith('INSTALLATION'))).toHaveLength(1);
  });

  it('refuses an empty folder, and says how to fix it', async () => {
    await used();
    const empty = await otherFolder();
    const refusal = startStore(empty);
    await expect(refusal).rejects.toThrow(`${empty.dataDir} has no file INSTALLATION`);
    await expect(refusal).rejects.toThrow(`write the line ${await idOf(place)} to that file`);
    await writeFile(path.join(empty.dataDir, 'INSTALLATION'), `${await idOf(place)}\n`);
    await started(empty);
  });

  it('refuses the folder of another installation', async () => {
    await used();
    const other = await otherFolder();
    await writeFile(path.join(other.dataDir, 'INSTALLATION'), `${randomUUID()}\n`);
    await expect(startStore(other)).rejects.toThrow(`${other.dataDir} belongs to another installation`);
  });

  it('gives ids to an installation of an earlier version', async () => {
    await used();
    await forget();
    expect((await (await started()).get(item.expect.manifestId ?? '')).status).toBe(200);
    expect(await idOf(place)).toMatch(/^[\da-f-]{36}$/);
  });

  it('refuses an empty folder also for an installation of an earlier version', async () => {
    await used();
    await forget();
    await expect(startStore(await otherFolder())).rejects.toThrow('has no files of the manifests');
    await started();
  });

  it('refuses a new database with a folder that has files, and deletes none', async () => {
    await used();
    const { url } = await databases.create();
    const fresh = {
      ...place,
      url: url ?? `sqlite:///${path.join(path.dirname(place.dataDir), 'new.sqlite')}`,
    };
    await expect(startStore(fresh)).rejects.toThrow('has files of manifests, but the database is new');
    expect((await (await started()).get(item.expect.manifestId ?? '')).status).toBe(200);
  });

  it('accepts a copy of the folder, such as a backup', async () => {
    await used();
    const copy = await otherFolder();
    await cp(place.dataDir, copy.dataDir, { recursive: true });
    await started(copy);
  });
});
