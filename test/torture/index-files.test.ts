/**
 * Index files that are cut, zeroed, torn or flipped: the service lives, the index next to it serves, and the hurt one
 * serves its rows or responds with 503 and the reason. In its own process, because the fault would be a crash.
 */
import { cp, mkdtemp, open, readFile, rm, stat, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import type { SearchResult } from '../../src/client/search-api.js';
import { randomAsset } from '../search/support/random-assets.js';
import { type SearchProcess, startProcess } from '../search/support/search-process.js';
import { post } from '../search/support/search-server.js';
import { Random, torture } from '../support/torture.js';

const { size, seed, cases, report } = torture('index-files');
const PAGE = 4096;
const ASSETS = 600;
/** Indexes that share a start of the service: a start costs far more than a damage. */
const INDEXES = 10;
const entries = Array.from({ length: ASSETS }, (_, number) =>
  randomAsset(number, { title: `asset ${number}` }),
);

/** Changes the file at random; returns a description. */
async function damage(random: Random, file: string): Promise<string> {
  const { size: bytes } = await stat(file);
  const pages = Math.floor(bytes / PAGE);
  const handle = await open(file, 'r+');
  const write = (data: Uint8Array, at: number) => handle.write(data, 0, data.length, at);
  const page = random.below(pages) * PAGE;
  try {
    switch (random.below(6)) {
      case 0: {
        const length = random.below(bytes);
        await truncate(file, length);
        return `cut to ${length} of ${bytes} bytes`;
      }
      case 1:
        await write(Buffer.alloc(PAGE), page);
        return `page ${page / PAGE} zeroed`;
      case 2:
        // The second half of a page did not reach the disk.
        await write(random.bytes(PAGE / 2), page + PAGE / 2);
        return `page ${page / PAGE} torn`;
      case 3: {
        const at = random.below(bytes);
        const [byte = 0] = (await readFile(file)).subarray(at, at + 1);
        await write(Uint8Array.of(byte ^ (1 << random.below(8))), at);
        return `bit of byte ${at} flipped`;
      }
      case 4: {
        const other = random.below(pages) * PAGE;
        await write((await readFile(file)).subarray(other, other + PAGE), page);
        return `page ${other / PAGE} copied over page ${page / PAGE}`;
      }
      default: {
        const at = random.below(Math.min(bytes, 2 * PAGE));
        await write(random.bytes(16), at);
        return `16 bytes of the meta pages at ${at} overwritten`;
      }
    }
  } finally {
    await handle.close();
  }
}

function parsed(text: string): SearchResult | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Looks at a damaged index. Returns its state, or what is wrong. */
async function judge(url: string, name: string): Promise<{ state: 'serves' | 'refuses'; fault?: string }> {
  for (const entry of entries.filter((_, number) => number % 60 === 0)) {
    const response = await post(`${url}/indexes/${name}/search?limit=3`, { units: entry.units });
    const text = await response.text();
    if (response.status === 503 && response.headers.has('retry-after')) return { state: 'refuses' };
    if (response.status !== 200)
      return { state: 'serves', fault: `status ${response.status}: ${text.slice(0, 200)}` };
    const found = parsed(text);
    if (found === undefined) return { state: 'serves', fault: `not JSON: ${text.slice(0, 1000)}` };
    const [best] = found.global_matches;
    // A flipped bit inside of a stored value can't be noticed: the asset is then found with a lower score, or not.
    if (best !== undefined && best.score === 1 && best.iscc_id !== entry.iscc_id)
      return { state: 'serves', fault: `${entry.iscc_id} was found as ${best.iscc_id}` };
  }
  return { state: 'serves' };
}

/** A service whose indexes are loaded, or why it did not start. */
async function started(location: string): Promise<SearchProcess | Error> {
  const server = await startProcess(location, { INDEXSVC_LOG_LEVEL: 'fatal' }).catch(toError);
  if (server instanceof Error) return server;
  onTestFinished(() => server.kill());
  const status = () => fetch(`${server.url}/readyz`).then((response) => response.status, toError);
  for (;;) {
    const found = await status();
    if (found === 200) return server;
    if (found instanceof Error) return found;
    await sleep(20);
  }
}

const toError = (error: unknown) => (error instanceof Error ? error : new Error(String(error)));

/** The numbers in lists of this length; the last may be shorter. */
function* batches(numbers: Iterable<number>, length: number): Generator<number[]> {
  let batch: number[] = [];
  for (const number of numbers) {
    batch.push(number);
    if (batch.length < length) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

test(`${size} damages`, { timeout: 120_000 + size * 20_000 }, async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'isccd-index-files-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const sound = path.join(folder, 'sound');
  const first = await startProcess(`usearch://${sound}`);
  for (const name of ['healthy', 'hurt']) {
    await post(`${first.url}/indexes`, { name });
    expect((await post(`${first.url}/indexes/${name}/assets`, entries)).status).toBe(201);
  }
  await first.stop();

  const findings: string[] = [];
  const states = { serves: 0, refuses: 0 };
  let tried = 0;
  for (const numbers of batches(cases(), INDEXES)) {
    tried += numbers.length;
    const copy = path.join(folder, 'copy');
    await cp(sound, copy, { recursive: true });
    const done: [number, string][] = [];
    for (const number of numbers) {
      const hurt = path.join(copy, `hurt${number}`);
      await cp(path.join(sound, 'hurt'), hurt, { recursive: true });
      done.push([number, await damage(new Random(seed, number), path.join(hurt, 'data.mdb'))]);
    }
    const server = await started(`usearch://${copy}`);
    if (server instanceof Error) {
      const cases = done.map(([number, what]) => `--only=${number}: ${what}`);
      findings.push(`${server.message} with one of ${cases.join(', ')}`);
      await rm(copy, { recursive: true });
      continue;
    }
    for (const [number, what] of done) {
      const { state, fault } = await judge(server.url, `hurt${number}`);
      states[state] += 1;
      if (fault !== undefined) findings.push(`--only=${number}: ${what}: ${fault}`);
    }
    expect(await judge(server.url, 'healthy')).toEqual({ state: 'serves' });
    await server.stop();
    expect(server.exitCode()).toBe(0);
    await rm(copy, { recursive: true });
  }
  expect(findings).toEqual([]);
  const worst = `${states.refuses} refused with the reason, ${states.serves} served`;
  report({ tried, survived: tried, worst });
});
