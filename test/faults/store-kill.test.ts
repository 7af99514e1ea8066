/** kill -9 during uploads and deletes: nothing acknowledged is lost, nothing partial remains. */
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { FolderContentBlobs } from '../../src/storage/blobs/content.js';
import { openDatabase } from '../../src/storage/database/open.js';
import { acceptedSidecars, bytesOf } from '../store/support/fixtures.js';
import { type StoreProcess, startStoreProcess } from '../store/support/process.js';
import { type Place, startStore } from '../store/support/server.js';
import { type TestDatabases, testDatabases } from '../support/databases.js';
import { Random, torture } from '../support/torture.js';

const { size: ROUNDS, seed, cases, report } = torture('kill-store');
/** Most responses that a round waits for before its kill. */
const RESPONSES_MAX = 12;
/** Longest time from the last awaited response to the kill. */
const DELAY_MS_MAX = 20;

const sidecars = acceptedSidecars().map((item) => ({
  id: item.expect.manifestId ?? '',
  bytes: bytesOf(item),
}));

let databases: TestDatabases;
beforeAll(async () => {
  databases = await testDatabases('sqlite');
});
afterAll(() => databases.stop());

/** State by the responses; `unsure` after a request without a response. */
type Known = 'absent' | 'stored' | 'deleted' | 'unsure';

/** Uploads and deletes until the process is killed or the lane has no sidecar left. Calls `onResponse` after each response. */
async function work(
  store: StoreProcess,
  known: Map<string, Known>,
  lane: number,
  onResponse: () => void,
): Promise<void> {
  for (const [at, { id, bytes }] of sidecars.entries()) {
    if (at % 4 !== lane || known.get(id) === 'deleted') continue;
    const before = known.get(id);
    const deletes = before === 'stored' && at % 3 === 0;
    try {
      known.set(id, 'unsure');
      const { status } = await (deletes ? store.remove(id) : store.upload(bytes));
      if (status === 200) known.set(id, 'stored');
      else if (status === 204 || status === 410) known.set(id, 'deleted');
      else if (status === 409) known.set(id, 'deleted');
      else throw new Error(`unexpected status ${status}`);
      onResponse();
    } catch (error) {
      if (error instanceof Error && error.message.startsWith('unexpected')) throw error;
      // The connection broke. A stored manifest is still stored, unless this was its delete.
      if (before !== undefined && !deletes) known.set(id, before);
      return;
    }
  }
}

/** Works in four lanes and kills the process after `responses` responses and `delayMs`. Returns all responses. */
async function killWhileWorking(
  store: StoreProcess,
  known: Map<string, Known>,
  { responses, delayMs }: { responses: number; delayMs: number },
): Promise<number> {
  let answered = 0;
  let isWorking = true;
  const count = () => {
    answered += 1;
  };
  const lanes = [0, 1, 2, 3].map((lane) => work(store, known, lane, count));
  const working = Promise.all(lanes).finally(() => {
    isWorking = false;
  });
  while (isWorking && answered < responses) await sleep(1);
  await sleep(delayMs);
  await store.kill();
  await working;
  return answered;
}

async function expectKnown(place: Place, known: ReadonlyMap<string, Known>): Promise<void> {
  const store = await startStore(place);
  for (const { id, bytes } of sidecars) {
    const response = await store.get(id);
    const body = Buffer.from(await response.arrayBuffer());
    const state = known.get(id) ?? 'absent';
    if (state === 'stored') expect([id, response.status]).toEqual([id, 200]);
    if (state === 'deleted') expect([id, response.status]).toEqual([id, 410]);
    if (response.status === 200) expect(body.equals(bytes)).toBe(true);
  }
  await store.stop();
}

/** After a start, which cleans up: files match rows that are live or can be restored, and counters match bindings. */
async function expectWhole({ url, dataDir }: Place): Promise<void> {
  const { db, close } = await openDatabase(url, dataDir);
  const blobs = await FolderContentBlobs.open(dataDir, '.c2pa');
  const rows = await db.selectFrom('manifests').selectAll().execute();
  const live = rows.filter((row) => row.live === 1);
  const wanted = rows.filter((row) => row.live === 1 || row.kept_until !== null);
  const files: string[] = [];
  for await (const { digest } of blobs.list()) files.push(digest);
  expect(files.sort()).toEqual(wanted.map(({ sha256 }) => sha256).sort());
  expect(await readdir(path.join(dataDir, 'drafts'))).toEqual([]);
  const bindings = await db.selectFrom('bindings').select('alg').where('alternate', '=', 0).execute();
  const counts = await db.selectFrom('binding_counts').selectAll().execute();
  expect(counts.reduce((sum, { bindings: count }) => sum + count, 0)).toBe(bindings.length);
  expect(live.reduce((sum, { binding_count }) => sum + binding_count, 0)).toBe(bindings.length);
  await close();
}

it(`${ROUNDS} kills`, { timeout: 600_000 + ROUNDS * 10_000 }, async () => {
  let place = await databases.create();
  let known = new Map<string, Known>();
  let acknowledged = 0;
  let rounds = 0;
  const check = async () => {
    await expectKnown(place, known);
    await expectWhole(place);
    known = new Map();
    place = await databases.create();
  };
  for (const round of cases()) {
    rounds += 1;
    const MSTORE_UNDO_DAYS = round % 20 < 10 ? '0' : '7';
    const store = await startStoreProcess(place, { MSTORE_UNDO_DAYS });
    // Another moment in every round.
    const random = new Random(seed, round);
    acknowledged += await killWhileWorking(store, known, {
      responses: random.below(RESPONSES_MAX + 1),
      delayMs: random.below(DELAY_MS_MAX),
    });
    if (round % 10 === 9) await check();
  }
  await check();
  expect(acknowledged).toBeGreaterThanOrEqual(rounds);
  report({ tried: rounds, survived: rounds, worst: `0 lost of ${acknowledged} responses` });
});
