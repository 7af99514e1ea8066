/** Every key of an index is added, replaced and deleted again and again; answers stay those of brute force. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { SearchResult } from '../../src/client/search-api.js';
import { native } from '../../src/native.js';
import { isccId } from '../search/support/random-assets.js';
import { post, startSearch } from '../search/support/search-server.js';
import { Random, torture } from '../support/torture.js';

const { size: ROUNDS, seed, cases, report } = torture('churn');
const KEYS = 400;
const CHANGES = 150;
const QUERIES = 10;
/** Bodies that several assets share. */
const BODIES = 250;
const RESTART_ROUNDS = 10;

/** Units by key. */
type Stored = Map<number, readonly Uint8Array[]>;

/** Main type and subtype of Content-Code Text, Data-Code and Instance-Code. */
const UNITS = [
  [2, 0],
  [3, 0],
  [4, 0],
] as const;
const UNIT_BYTES = 32;
const THRESHOLD = 0.75;
/** More than the threshold permits, so that some copies of a body are no longer near. */
const FLIPS_MAX = 90;

/** The units of one of the shared bodies, some of them with flipped bits. */
function unitsOf(random: Random): Uint8Array[] {
  const body = new Random(random.below(BODIES));
  return UNITS.map(() => {
    const unit = body.bytes(UNIT_BYTES);
    const flips = random.chance(0.5) ? random.below(FLIPS_MAX) : 0;
    for (let flip = 0; flip < flips; flip += 1) {
      const bit = random.below(UNIT_BYTES * 8);
      unit[bit >> 3] = (unit[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    }
    return unit;
  });
}

const encoded = (units: readonly Uint8Array[]) =>
  units.map((unit, at) => {
    const [main, sub] = UNITS[at] ?? UNITS[0];
    return `ISCC:${native.encodeUnit(main, sub, 0, UNIT_BYTES * 8, unit).replace('ISCC:', '')}`;
  });

/** Share of equal bits. */
function similarity(a: Uint8Array, b: Uint8Array): number {
  let different = 0;
  for (const [at, byte] of a.entries()) {
    for (let bits = byte ^ (b[at] ?? 0); bits > 0; bits &= bits - 1) different += 1;
  }
  return 1 - different / (a.length * 8);
}

test(`${ROUNDS} rounds`, { timeout: 120_000 + ROUNDS * 10_000 }, async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'isccd-churn-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const start = () => startSearch(folder, { INDEXSVC_INDEX_URI: `usearch://${folder}/index` });
  let server = await start();
  onTestFinished(() => server.stop());
  await post(`${server.url}/indexes`, { name: 'main' });
  const stored: Stored = new Map();
  let compared = 0;
  let rounds = 0;
  for (const round of cases()) {
    rounds += 1;
    const random = new Random(seed, round);
    const index = `${server.url}/indexes/main`;
    const added: Stored = new Map();
    for (let change = 0; change < CHANGES; change += 1) {
      const key = random.below(KEYS);
      if (stored.has(key) && random.chance(0.4)) {
        if (added.has(key)) continue;
        const response = await fetch(`${index}/assets/${isccId(key)}`, { method: 'DELETE' });
        expect(response.status).toBe(204);
        stored.delete(key);
      } else {
        added.set(key, unitsOf(random));
      }
    }
    const entries = [...added].map(([key, units]) => ({ iscc_id: isccId(key), units: encoded(units) }));
    expect((await post(`${index}/assets`, entries)).status).toBe(201);
    for (const [key, units] of added) stored.set(key, units);
    for (let query = 0; query < QUERIES; query += 1) {
      await expectBruteForce(index, unitsOf(random), stored);
      compared += 1;
    }
    if (round % RESTART_ROUNDS === RESTART_ROUNDS - 1) {
      await server.stop();
      server = await start();
    }
  }
  report({ tried: rounds, survived: rounds, worst: `${compared} answers equal brute force` });
});

/** Compares the assets found for these units, and which of them match exactly, with a walk over all stored assets. */
async function expectBruteForce(index: string, units: readonly Uint8Array[], stored: Stored): Promise<void> {
  const response = await post(`${index}/search?limit=${KEYS}`, { units: encoded(units) });
  expect(response.status).toBe(200);
  const { global_matches } = (await response.json()) as SearchResult;
  const shares = [...stored].map(([key, own]) => ({
    iscc_id: isccId(key),
    shares: own.map((unit, at) => similarity(unit, units[at] ?? unit)),
  }));
  // Instance-Codes match only if they are equal.
  const near = shares.filter(({ shares: [text = 0, data = 0, instance = 0] }) => {
    return text >= THRESHOLD || data >= THRESHOLD || instance === 1;
  });
  const ids = (list: readonly { iscc_id?: string | null }[]) => list.map(({ iscc_id }) => iscc_id).sort();
  expect(ids(global_matches)).toEqual(ids(near));
  const equal = near.filter(({ shares: own }) => own.every((share) => share === 1));
  expect(ids(global_matches.filter(({ score }) => score === 1))).toEqual(expect.arrayContaining(ids(equal)));
}
