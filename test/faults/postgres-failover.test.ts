/** The PostgreSQL primary of two stores is killed and a synchronous standby takes over: no acknowledged write is lost. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { freshManifest } from '../store/support/fresh-manifest.js';
import { startStore } from '../store/support/server.js';
import { startPostgres } from '../support/postgres.js';

const WAIT = { timeout: 40_000, interval: 50 };
const ENOUGH = 15;

test('two stores go on with the promoted standby, without a restart', { timeout: 120_000 }, async () => {
  const server = await startPostgres();
  const standby = await server.addStandby();
  const folder = await mkdtemp(path.join(tmpdir(), 'isccd-failover-'));
  const url = `${standby.urlOfBoth(await server.createDatabase())}&target_session_attrs=read-write`;
  const dataDir = path.join(folder, 'manifests');
  const stores = [await startStore({ dataDir, url }), await startStore({ dataDir, url })] as const;
  onTestFinished(async () => {
    await Promise.all(stores.map((store) => store.stop()));
    await standby.stop();
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const stored: { id: string; bytes: Buffer }[] = [];
  let isOver = false;
  const writer = async (at: 0 | 1) => {
    while (!isOver) {
      const bytes = await freshManifest();
      const response = await stores[at].upload(bytes);
      expect([200, 503]).toContain(response.status);
      const body = (await response.json()) as { manifestId: string };
      if (response.status === 200) stored.push({ id: body.manifestId, bytes });
      else {
        expect(response.headers.has('retry-after')).toBe(true);
        await pause(50);
      }
    }
  };
  const writers = [writer(0), writer(1), writer(0), writer(1)];
  await expect.poll(() => stored.length, WAIT).toBeGreaterThan(ENOUGH);
  await server.kill();
  const before = stored.length;
  await standby.promote();
  await expect.poll(() => stored.length, WAIT).toBeGreaterThan(before + ENOUGH);
  isOver = true;
  await Promise.all(writers);
  for (const store of stores) {
    await expect.poll(async () => (await fetch(`${store.url}/readyz`)).status, WAIT).toBe(200);
    for (const { id, bytes } of stored) {
      const found = await store.get(id);
      expect([id, found.status]).toEqual([id, 200]);
      expect(Buffer.from(await found.arrayBuffer()).equals(bytes)).toBe(true);
    }
  }
});
