/** I/O errors on the folder of the manifests: `/readyz` shows the outcome of the last write. */
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import { temporaryFolder } from '../codes/support/folder.js';
import { acceptedSidecars, bytesOf } from '../store/support/fixtures.js';
import { startStoreProcess } from '../store/support/process.js';
import { build } from './support/preload.js';

const SIDECARS = acceptedSidecars().slice(0, 3).map(bytesOf);

test.skipIf(process.platform !== 'linux')(
  'after a failed write the store is not ready until a write succeeds',
  async () => {
    const folder = await temporaryFolder();
    // Only syncs of folders fail.
    const trigger = path.join(folder, 'names');
    const preload = { LD_PRELOAD: build('fail-writes.c', folder), FAULT_TRIGGER: trigger };
    const place = { dataDir: path.join(folder, 'data'), url: undefined };
    const store = await startStoreProcess(place, preload);
    const ready = async () => {
      const response = await fetch(`${store.url}/readyz`);
      return [response.status, await response.json()];
    };
    const [first, second, third] = SIDECARS as [Buffer, Buffer, Buffer];
    expect((await store.upload(first)).status).toBe(200);
    expect(await ready()).toMatchObject([200, { status: 'ready' }]);
    await writeFile(trigger, '');
    expect((await store.upload(second)).status).toBe(500);
    const reason = 'the last manifest could not be written';
    expect(await ready()).toMatchObject([503, { status: 'not_ready', reason }]);
    // A refused upload writes nothing, so it does not make the store ready.
    expect((await store.upload(Buffer.from('no manifest'))).status).toBe(400);
    expect((await ready())[0]).toBe(503);
    await rm(trigger);
    // Without another upload, because a store that is not ready may get none.
    await vi.waitFor(async () => expect((await ready())[0]).toBe(200), 10_000);
    for (const bytes of [second, third]) expect((await store.upload(bytes)).status).toBe(200);
    await store.stop();
  },
  60_000,
);
