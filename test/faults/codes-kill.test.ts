/** SIGKILL during uploads, embeddings and deletions: nothing acknowledged is lost, no partial files remain. */
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { bodyOf, noise, postJson, sha256, upload } from '../codes/support/client.js';
import { temporaryFolder } from '../codes/support/folder.js';
import { problemsOf } from '../codes/support/problems.js';
import { serveCodes } from '../codes/support/process.js';
import { fileBytes } from '../codes/support/reference.js';
import { Random, torture } from '../support/torture.js';

const { size: ROUNDS, seed, cases, report } = torture('kill-codes');
/** Most uploads that a round waits for before its kill. */
const UPLOADS_MAX = 16;
/** Longest time from the last awaited upload to the kill. */
const DELAY_MS_MAX = 500;
const LANES = 4;

const PICTURE = fileBytes('tiny_32x32_a.png');

/** Last acknowledged state. A request without a response leaves the state unknown. */
interface Known {
  state: 'stored' | 'deleted' | 'unknown';
  /** SHA-256 of the bytes; absent for copies with embedded metadata. */
  readonly hash?: string;
}

/** Uploads, embeds and deletes as fast as possible until the server is killed. */
async function work(url: string, known: Map<string, Known>, lane: number): Promise<void> {
  const expectStatus = (response: Response, status: number) => {
    if (response.status !== status) throw new Unexpected(`${response.status} instead of ${status}`);
  };
  const stored = async (response: Response, hash?: string): Promise<string> => {
    expectStatus(response, 201);
    const { media_id } = await bodyOf(response);
    known.set(media_id, { state: 'stored', ...(hash && { hash }) });
    return media_id;
  };
  try {
    for (let count = 0; ; count += 1) {
      const bytes = noise(60_000, lane * 1000 + count);
      // A file with a code is stored while its record is written.
      const to = count % 4 < 2 ? 'iscc' : 'media';
      const id = await stored(await upload(url, 'a.bin', bytes, { to }), sha256(bytes));
      if (count % 2 === 1) {
        const picture = await stored(await upload(url, 'tiny.png', PICTURE), sha256(PICTURE));
        await stored(await postJson(url, `/metadata/${picture}`, { name: `n${count}` }));
      }
      if (count % 2 === lane % 2) continue;
      const deleting: Known = { state: 'unknown' };
      known.set(id, deleting);
      expectStatus(await fetch(`${url}/api/v1/media/${id}`, { method: 'DELETE' }), 204);
      deleting.state = 'deleted';
    }
  } catch (error) {
    if (error instanceof Unexpected) throw error;
  }
}

class Unexpected extends Error {}

/** Checks all known uploads right after a start, which runs a clean-up. */
async function expectIntact(url: string, media: string, known: ReadonlyMap<string, Known>): Promise<void> {
  expect(await readdir(path.join(media, 'drafts'))).toEqual([]);
  const download = (id: string) => fetch(`${url}/api/v1/media/${id}`);
  for (const [id, { state, hash }] of known) {
    const response = await download(id);
    const bytes = new Uint8Array(await response.arrayBuffer());
    if (state === 'stored') expect([id, response.status]).toEqual([id, 200]);
    if (state === 'deleted') expect([id, response.status]).toEqual([id, 404]);
    if (state === 'stored' && hash) expect(sha256(bytes)).toBe(hash);
  }
  for (const id of await readdir(path.join(media, 'files'))) {
    const response = await download(id);
    await response.arrayBuffer();
    expect([id, response.status]).toEqual([id, 200]);
  }
}

test(`${ROUNDS} rounds`, { timeout: 600_000 + ROUNDS * 10_000 }, async () => {
  const folder = await temporaryFolder();
  const media = path.join(folder, 'media');
  const known = new Map<string, Known>();
  let rounds = 0;
  for (const round of cases()) {
    rounds += 1;
    const server = await serveCodes(folder, { CODEWEB_MAX_WORKERS: '2' });
    await expectIntact(server.url, media, known);
    const lanes = Array.from({ length: LANES }, (_, lane) => work(server.url, known, round * LANES + lane));
    // A different moment in every round.
    const random = new Random(seed, round);
    const uploads = known.size + 2 + random.below(UPLOADS_MAX);
    const working = Promise.all(lanes);
    await Promise.race([
      working,
      expect.poll(() => known.size, { timeout: 60_000 }).toBeGreaterThanOrEqual(uploads),
    ]);
    await pause(random.below(DELAY_MS_MAX));
    await server.kill();
    await working;
  }
  const last = await serveCodes(folder);
  await expectIntact(last.url, media, known);
  expect(await problemsOf(media)).toEqual([]);
  const states = [...known.values()].map(({ state }) => state);
  expect(states.filter((state) => state === 'stored').length).toBeGreaterThanOrEqual(rounds);
  expect(states).toContain('deleted');
  report({ tried: rounds, survived: rounds, worst: `0 lost of ${states.length} files` });
});
