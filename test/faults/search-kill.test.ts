/** kill -9 of the search service while batches arrive: acknowledged batches are complete, others complete or absent. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import type { IndexInfo, SearchResult } from '../../src/client/search-api.js';
import { isccId, randomAsset } from '../search/support/random-assets.js';
import { type SearchProcess, startProcess } from '../search/support/search-process.js';
import { post } from '../search/support/search-server.js';
import { Random, torture } from '../support/torture.js';

const { size: ROUNDS, seed, cases, report } = torture('kill-search');
const WRITERS = 3;
const BATCH_ASSETS = 20;
const RUN_MS_MAX = 60;
/** One in so many acknowledged assets is searched for. */
const SEARCHED = 10;

/** Batches by number, and whether the service acknowledged them. */
type Sent = Map<number, boolean>;

test(`${ROUNDS} kills lose no acknowledged batch and leave no partial one`, {
  timeout: 300_000 + ROUNDS * 10_000,
}, async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'isccd-kill-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const start = () => startProcess(`usearch://${folder}`);
  let service = await start();
  onTestFinished(() => service.kill());
  expect((await post(`${service.url}/indexes`, { name: 'main' })).status).toBe(201);
  const counter = { batches: 0, assets: 0, acknowledged: 0 };
  let rounds = 0;
  for (const round of cases()) {
    rounds += 1;
    const sent: Sent = new Map();
    const writers = Array.from({ length: WRITERS }, () => write(service, counter, sent));
    while (![...sent.values()].includes(true)) await pause(2);
    await pause(new Random(seed, round).below(RUN_MS_MAX));
    await service.kill();
    await Promise.all(writers);
    service = await start();
    counter.assets += await stored(service, sent);
    counter.acknowledged += [...sent.values()].filter(Boolean).length;
    const index = (await (await fetch(`${service.url}/indexes/main`)).json()) as IndexInfo;
    expect([round, index.assets]).toEqual([round, counter.assets]);
  }
  expect(counter.acknowledged).toBeGreaterThanOrEqual(rounds);
  report({ tried: rounds, survived: rounds, worst: `0 lost of ${counter.acknowledged} batches` });
});

/** Sends batches until the service is killed. */
async function write(service: SearchProcess, counter: { batches: number }, sent: Sent): Promise<void> {
  for (;;) {
    const batch = counter.batches;
    counter.batches += 1;
    sent.set(batch, false);
    const assets = numbers(batch).map((number) => randomAsset(number));
    try {
      const response = await post(`${service.url}/indexes/main/assets`, assets);
      if (response.status === 201) sent.set(batch, true);
    } catch {
      return;
    }
  }
}

/** Checks each asset of the batches. Returns the number of those stored. */
async function stored(service: SearchProcess, sent: Sent): Promise<number> {
  let assets = 0;
  for (const [batch, isAcknowledged] of sent) {
    const found = await Promise.all(numbers(batch).map((number) => has(service, number)));
    const count = found.filter(Boolean).length;
    expect([batch, count]).toEqual([batch, isAcknowledged || count > 0 ? BATCH_ASSETS : 0]);
    assets += count;
    if (count === 0) continue;
    for (const number of numbers(batch).filter((number) => number % SEARCHED === 0)) {
      const { iscc_id, units } = randomAsset(number);
      const response = await post(`${service.url}/indexes/main/search?limit=1`, { units });
      const { global_matches } = (await response.json()) as SearchResult;
      expect(global_matches).toMatchObject([{ iscc_id, score: 1 }]);
    }
  }
  return assets;
}

async function has(service: SearchProcess, number: number): Promise<boolean> {
  const response = await fetch(`${service.url}/indexes/main/assets/${isccId(number)}`);
  if (response.status !== 200) {
    expect(response.status).toBe(404);
    await response.arrayBuffer();
    return false;
  }
  expect(await response.json()).toEqual(randomAsset(number));
  return true;
}

function numbers(batch: number): number[] {
  return Array.from({ length: BATCH_ASSETS }, (_, index) => batch * BATCH_ASSETS + index);
}
