/** Full disk under the search service: responses are 507, nothing acknowledged is lost, and it recovers. */
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Entry, IndexInfo, SearchResult } from '../../src/client/search-api.js';
import { randomAsset } from '../search/support/random-assets.js';
import { startProcess } from '../search/support/search-process.js';
import { post } from '../search/support/search-server.js';
import { smallDisk } from './support/small-disk.js';

const DISK_MEGABYTES = 16;
const BALLAST_BYTES = 6 * 1024 * 1024;
const BATCH_ASSETS = 50;
/** Far more batches than the disk has space for. */
const BATCHES_MAX = 500;
const FULL = { detail: 'No space left for the index' };

test.for(['usearch', 'lmdb'])(
  '%s returns 507, keeps data and recovers',
  { timeout: 120_000 },
  async (backend, context) => {
    const disk = await smallDisk(DISK_MEGABYTES, context);
    const ballast = path.join(disk, 'ballast');
    await writeFile(ballast, Buffer.alloc(BALLAST_BYTES, 1));
    const start = () => startProcess(`${backend}://${path.join(disk, 'indexes')}`);
    let service = await start();
    onTestFinished(() => service.kill());
    await post(`${service.url}/indexes`, { name: 'main' });
    const index = () => `${service.url}/indexes/main`;
    const count = async () => ((await (await fetch(index())).json()) as IndexInfo).assets;
    const add = (number: number) => post(`${index()}/assets`, batch(number));

    let stored = 0;
    let response = await add(stored);
    while (response.status === 201 && stored < BATCHES_MAX) {
      stored += 1;
      response = await add(stored);
    }
    expect([response.status, await response.json()]).toEqual([507, FULL]);
    expect((await add(stored)).status).toBe(507);
    expect(await count()).toBe(stored * BATCH_ASSETS);
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
    expect((await fetch(`${index()}/assets/${batch(0)[0]?.iscc_id}`)).status).toBe(200);
    expect((await fetch(`${index()}/assets/${batch(stored)[0]?.iscc_id}`)).status).toBe(404);

    await rm(ballast);
    expect((await add(stored)).status).toBe(201);
    stored += 1;
    await service.kill();
    service = await start();
    expect(await count()).toBe(stored * BATCH_ASSETS);
    for (let number = 0; number < stored; number += 1) {
      const asset = batch(number)[7] as Entry;
      const found = await post(`${index()}/search?limit=1`, { units: asset.units });
      const { global_matches } = (await found.json()) as SearchResult;
      expect(global_matches).toMatchObject([{ iscc_id: asset.iscc_id, score: 1, metadata: asset.metadata }]);
    }
  },
);

function batch(number: number): Entry[] {
  const first = number * BATCH_ASSETS;
  return Array.from({ length: BATCH_ASSETS }, (_, index) =>
    randomAsset(first + index, { x: 'y'.repeat(2000) }),
  );
}
