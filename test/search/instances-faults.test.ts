/** Instances on one PostgreSQL that are killed, and a database that stops, under mixed load: nothing acknowledged is lost. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import type { Entry } from '../../src/client/search-api.js';
import { startPostgres } from '../support/postgres.js';
import { type SearchProcess, startProcess } from './support/search-process.js';
import { post, rows } from './support/search-server.js';

const LINES = 'application/x-ndjson';
const NAMES = ['one', 'two', 'three'] as const;
const BATCH = 5;
const PAUSE_MS = 20;
const WAIT_MS_MAX = 30_000;

test('kills of an instance and a stop of the database lose no acknowledged write', {
  timeout: 180_000,
}, async () => {
  const postgres = await startPostgres();
  const folder = await mkdtemp(path.join(tmpdir(), 'isccd-faults-'));
  const location = await postgres.createDatabase();
  const start = (name: string) => startProcess(location, { ISCCD_DATA_DIR: path.join(folder, name) });
  const instances: SearchProcess[] = await Promise.all(NAMES.map(start));
  onTestFinished(async () => {
    await Promise.all(instances.map((instance) => instance.stop()));
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  });
  const url = (at: number) => `${(instances[at % NAMES.length] as SearchProcess).url}/indexes/ds`;
  const readiness = (at: number) => async () => {
    const response = await fetch(`${(instances[at] as SearchProcess).url}/readyz`).catch(() => undefined);
    return response?.json();
  };
  /** Until an instance has found the database, it answers from memory and says so. */
  const allReady = async () => {
    for (const at of NAMES.keys())
      await expect.poll(readiness(at), { timeout: WAIT_MS_MAX }).toEqual({ status: 'ready' });
  };
  await allReady();
  expect((await post(`${(instances[0] as SearchProcess).url}/indexes`, { name: 'ds' })).status).toBe(201);

  const entries = (await rows<Entry>('assets.jsonl')).filter(({ units }) => units?.length === 4);
  const acknowledged = new Map<string, number>();
  const statuses = new Set<number>();
  let [isOver, version] = [false, 0];
  /** Writes its own assets over and over through changing instances; each version is acknowledged or tried again. */
  const writer = async (number: number) => {
    for (let round = 0; !isOver; round += 1) {
      version += 1;
      const current = version;
      const from = (number * 8 + (round % 8)) * BATCH;
      const batch = entries
        .slice(from, from + BATCH)
        .map((entry) => ({ ...entry, metadata: { version: current } }));
      for (let attempt = round; ; attempt += 1) {
        const response = await post(`${url(attempt)}/assets`, batch).catch(() => undefined);
        if (response !== undefined) statuses.add(response.status);
        if (response?.status === 201) break;
        await pause(PAUSE_MS);
      }
      for (const { iscc_id } of batch) acknowledged.set(iscc_id as string, current);
    }
  };
  const stale: string[] = [];
  /** Reads through one instance what was acknowledged through any. */
  const reader = async (at: number) => {
    for (let round = 0; !isOver; round += 1) {
      const known = [...acknowledged];
      const [id, least] = known[(round * 7) % known.length] ?? [];
      const response = id && (await fetch(`${url(at)}/assets/${id}`).catch(() => undefined));
      if (response && response.status === 200 && !response.headers.has('isccd-stale')) {
        const { metadata } = (await response.json()) as { metadata: { version: number } };
        if (metadata.version < (least as number)) stale.push(`${id}: ${metadata.version} < ${least}`);
      } else if (response) statuses.add(response.status);
      await pause(PAUSE_MS);
    }
  };
  const load = [0, 1, 2].flatMap((at) => [writer(at), reader(at)]);
  const grows = async () => {
    const before = version;
    await expect.poll(() => version, { timeout: WAIT_MS_MAX }).toBeGreaterThan(before + 12);
  };
  await grows();
  await instances[1]?.kill();
  await grows();
  instances[1] = await start('two');
  await grows();
  await postgres.halt();
  await pause(500);
  await postgres.start();
  await grows();
  await instances[0]?.kill();
  await rm(path.join(folder, 'one'), { recursive: true });
  instances[0] = await start('one');
  await grows();
  isOver = true;
  await Promise.all(load);

  expect(stale).toEqual([]);
  expect([...statuses].filter((status) => ![200, 201, 503].includes(status))).toEqual([]);
  await allReady();
  const exports = await Promise.all(
    NAMES.map(async (_, at) => (await fetch(`${url(at)}/assets`, { headers: { Accept: LINES } })).text()),
  );
  expect(exports[1]).toBe(exports[0]);
  expect(exports[2]).toBe(exports[0]);
  const stored = new Map(
    exports[0]
      ?.split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as { iscc_id: string; metadata: { version: number } })
      .map(({ iscc_id, metadata }) => [iscc_id, metadata.version]),
  );
  expect(acknowledged.size).toBeGreaterThan(100);
  for (const [id, least] of acknowledged) expect([id, (stored.get(id) ?? 0) >= least]).toEqual([id, true]);
});
