/** Full disk under the store and its database: responses are 507, nothing acknowledged is lost, and it recovers. */
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../codes/support/folder.js';
import { acceptedSidecars, bytesOf } from '../store/support/fixtures.js';
import { startStore } from '../store/support/server.js';
import { fill, smallDisk } from './support/small-disk.js';

const DISK_MEGABYTES = 12;
const ROOMS = [2000, 0, 4, 8, 12, 16, 20, 24, 30, 40, 60, 80];
const FULL = { detail: 'No space left to store the manifest' };

test('returns 507, keeps data and recovers', { timeout: 180_000 }, async (context) => {
  const disk = await smallDisk(DISK_MEGABYTES, context);
  const place = { url: `sqlite:///${path.join(disk, 'store.db')}`, dataDir: path.join(disk, 'data') };
  const ballast = path.join(disk, 'ballast');
  let store = await startStore(place);
  onTestFinished(() => store.stop());
  const [...sidecars] = acceptedSidecars();
  const stored: string[] = [];
  const seen = new Set<number>();
  // With more and more space: first neither file nor rows fit, then one of them, then both.
  for (const pages of ROOMS) {
    const [item] = sidecars;
    if (item === undefined) throw new Error('there are too few sidecars');
    await fill(ballast, pages);
    const response = await store.upload(bytesOf(item));
    const answer = (await response.json()) as { readonly manifestId: string };
    seen.add(response.status);
    if (response.status === 507) expect(answer).toEqual(FULL);
    else stored.push(answer.manifestId);
    if (response.status === 200) sidecars.shift();
  }
  expect([...seen]).toEqual([200, 507]);

  await store.stop();
  await rm(ballast);
  store = await startStore(place);
  for (const id of stored) expect((await store.get(id)).status).toBe(200);
  expect((await store.upload(bytesOf(sidecars[0] as (typeof sidecars)[number]))).status).toBe(200);
});

test('is not ready after a failed write until there is space', { timeout: 180_000 }, async (context) => {
  const disk = await smallDisk(DISK_MEGABYTES, context);
  const ballast = path.join(disk, 'ballast');
  // The manifests alone are on the full disk, then the database alone.
  const elsewhere = await temporaryFolder();
  const places = [
    { url: `sqlite:///${path.join(elsewhere, 'store.db')}`, dataDir: path.join(disk, 'data') },
    { url: `sqlite:///${path.join(disk, 'store.db')}`, dataDir: path.join(elsewhere, 'data') },
  ];
  for (const place of places) {
    const store = await startStore(place);
    onTestFinished(() => store.stop());
    const ready = async () => {
      const response = await fetch(`${store.url}/readyz`);
      return [response.status, await response.json()];
    };
    await fill(ballast, 0);
    expect(await ready()).toMatchObject([200, { status: 'ready' }]);
    const [item] = acceptedSidecars();
    const bytes = bytesOf(item as typeof item & object);
    expect((await store.upload(bytes)).status).toBe(507);
    // Also after several probes: each one writes as much as an upload.
    for (let probes = 0; probes < 3; probes += 1)
      expect(await ready()).toMatchObject([503, { status: 'not_ready', reason: 'the disk is full' }]);
    await rm(ballast);
    await expect.poll(ready).toMatchObject([200, { status: 'ready' }]);
    expect((await store.upload(bytes)).status).toBe(200);
  }
});
