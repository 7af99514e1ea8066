/** Two server processes on one database and one folder: each sees the other's changes immediately. */
import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/storage/database/open.js';
import { ENGINES, type TestDatabases, testDatabases } from '../support/databases.js';
import { acceptedSidecars, bytesOf, sidecar } from './support/fixtures.js';
import { type StoreProcess, startStoreProcess } from './support/process.js';
import type { Place } from './support/server.js';

describe.each(ENGINES)('two processes on %s', (engine) => {
  let databases: TestDatabases;
  let place: Place;
  let first: StoreProcess;
  let second: StoreProcess;
  beforeAll(async () => {
    databases = await testDatabases(engine);
    place = await databases.create();
    // Concurrently on an empty database: one of them creates the tables.
    [first, second] = await Promise.all([startStoreProcess(place), startStoreProcess(place)]);
  });
  afterAll(async () => {
    await Promise.all([first.stop(), second.stop()]);
    await databases.stop();
  });

  it('find what the other has stored, and not what it has deleted', async () => {
    for (const item of acceptedSidecars().slice(0, 20)) {
      const id = item.expect.manifestId ?? '';
      const [binding] = item.expect.indexed ?? [];
      if (binding === undefined) continue;
      const found = async (store: StoreProcess) => {
        const { body } = await store.query(binding.alg, binding.value);
        // An algorithm that is not listed is known as long as a stored manifest has it.
        return body.matches?.some(({ manifestId }) => manifestId === id) === true;
      };
      expect((await first.upload(bytesOf(item))).status).toBe(200);
      expect([item.name, await found(second)]).toEqual([item.name, true]);
      expect((await second.get(id)).status).toBe(200);
      expect((await second.remove(id)).status).toBe(204);
      expect([item.name, await found(first)]).toEqual([item.name, false]);
      expect((await first.get(id)).status).toBe(410);
    }
  });

  it('accept one of several uploads with the same id', async () => {
    const [a, b] = [bytesOf(sidecar('ok-conflict-a')), bytesOf(sidecar('ok-conflict-b'))];
    for (let round = 0; round < 5; round += 1) {
      const statuses = await Promise.all(
        [first.upload(a), second.upload(b), first.upload(b), second.upload(a)].map(
          async (response) => (await response).status,
        ),
      );
      expect([...statuses].sort()).toEqual([200, 200, 409, 409]);
      await release(place, sidecar('ok-conflict-a').expect.manifestId ?? '', first);
    }
  });

  it('return 404 for a manifest without its file, and log the file', async () => {
    // Not one of those deleted above.
    const item = acceptedSidecars().at(-1) ?? sidecar('ok-ed25519');
    const id = item.expect.manifestId ?? '';
    const digest = createHash('sha256').update(bytesOf(item)).digest('hex');
    expect((await first.upload(bytesOf(item))).status).toBe(200);
    const file = path.join(place.dataDir, 'files', digest.slice(0, 2), `${digest}.c2pa`);
    await rm(file);
    const answer = await second.get(id);
    expect([answer.status, await answer.json()]).toEqual([404, { detail: 'Manifest not found' }]);
    await expect
      .poll(() => logLines(second))
      .toContainEqual({
        level: 50,
        time: expect.any(String),
        msg: 'the file of a manifest is missing',
        manifestId: id,
        file,
      });
    expect((await second.remove(id)).status).toBe(204);
  });

  it('return the same algorithms', async () => {
    const path = '/v1/services/supportedAlgorithms';
    expect(await first.json(path)).toEqual(await second.json(path));
  });
});

function logLines(store: StoreProcess): unknown[] {
  const lines = store.output().split('\n');
  return lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
}

/** Deletes a manifest and frees its id, as the dashboard does. */
async function release({ url, dataDir }: Place, id: string, store: StoreProcess): Promise<void> {
  expect((await store.remove(id)).status).toBe(204);
  const { db, close } = await openDatabase(url, dataDir);
  await db.deleteFrom('manifests').where('manifest_id', '=', id).where('live', '=', 0).execute();
  await close();
}
