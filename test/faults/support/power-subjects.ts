/** Services whose power is lost: their load, and what must be there afterwards. */
import { expect, vi } from 'vitest';
import { native } from '../../../src/native.js';
import { BLOCK_BYTES } from '../../../src/services/codes/uploads/blocks.js';
import { bodyOf, noise, sha256, upload } from '../../codes/support/client.js';
import { isccId, randomAsset } from '../../search/support/random-assets.js';
import { startProcess } from '../../search/support/search-process.js';
import { post } from '../../search/support/search-server.js';
import { nextEvents } from '../../search/support/watch-stream.js';
import { acceptedSidecars, bytesOf } from '../../store/support/fixtures.js';
import { startStoreProcess } from '../../store/support/process.js';
import { storeClient } from '../../store/support/server.js';
import { type Process, serve } from '../../support/serve.js';
import type { Ledger } from './ledger.js';
import type { Names } from './power-loss.js';

const CHANGES = 40;
const LANES = 4;
const BATCH_ASSETS = 20;
/** Long enough for an event that must not come. */
const QUIET_MS = 500;

export type Served = Pick<Process, 'kill' | 'output'> & { readonly url: string };

export interface Subject {
  readonly name: 'codes' | 'search' | 'store' | 'watches';
  /** The strictest disk on which the service keeps its word. */
  readonly names: Names;
  /** Starts the service with its data in `folder`. */
  start(folder: string, env?: Readonly<Record<string, string>>): Promise<Served>;
  /** Writes and deletes. */
  work(url: string, ledger: Ledger): Promise<void>;
  /** Status and content of what the id names. */
  read(url: string, id: string): Promise<{ readonly state: 'stored' | 'deleted'; readonly isWhole: boolean }>;
}

/** Runs `work` for each number below `CHANGES`, some at a time. */
async function inLanes(work: (number: number) => Promise<void>): Promise<void> {
  const numbers = Array.from({ length: CHANGES }, (_, number) => number).values();
  const lane = async () => {
    for (const number of numbers) await work(number);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

function expectStatus(response: Response, status: number): void {
  if (response.status !== status) throw new Error(`${response.url}: ${response.status}`);
}

/** SHA-256 of the files that were uploaded, by id. */
const hashes = new Map<string, string>();

const codes: Subject = {
  name: 'codes',
  names: 'posix',
  start: async (folder, env) => {
    const settings = { CODEWEB_PORT: '0', CODEWEB_MEDIA_PATH: `${folder}/media`, CODEWEB_MAX_WORKERS: '1' };
    const { urls, ...process } = await serve(['codes'], { cwd: folder, env: { ...settings, ...env } });
    return { ...process, url: urls.codes };
  },
  work: (url, ledger) =>
    inLanes(async (number) => {
      // Some are larger than the memory of an upload, so that they go through a draft.
      const size = number % 5 === 1 ? BLOCK_BYTES + number : 1000 + 4000 * number;
      const bytes = noise(size, number);
      const response = await upload(url, 'a.bin', bytes, { to: number % 2 === 0 ? 'iscc' : 'media' });
      expectStatus(response, 201);
      const { media_id: id } = await bodyOf(response);
      ledger.note(id, 'stored');
      hashes.set(id, sha256(bytes));
      if (number % 3 !== 0) return;
      ledger.note(id, 'changing');
      expectStatus(await fetch(`${url}/api/v1/media/${id}`, { method: 'DELETE' }), 204);
      ledger.note(id, 'deleted');
    }),
  read: async (url, id) => {
    const response = await fetch(`${url}/api/v1/media/${id}`);
    const bytes = new Uint8Array(await response.arrayBuffer());
    if (response.status === 404) return { state: 'deleted', isWhole: true };
    expectStatus(response, 200);
    return { state: 'stored', isWhole: sha256(bytes) === hashes.get(id) };
  },
};

const sidecars = acceptedSidecars()
  .slice(0, CHANGES)
  .map((item) => ({ id: item.expect.manifestId ?? '', bytes: bytesOf(item) }));
const bytesById = new Map(sidecars.map(({ id, bytes }) => [id, bytes]));
const clientOf = (url: string) => storeClient({ url, port: 0, stop: async () => undefined });

const store: Subject = {
  name: 'store',
  names: 'posix',
  start: (folder, env) =>
    startStoreProcess({ dataDir: `${folder}/store`, url: undefined }, { MSTORE_UNDO_DAYS: '0', ...env }),
  work: (url, ledger) =>
    inLanes(async (number) => {
      const sidecar = sidecars[number];
      if (sidecar === undefined) return;
      ledger.note(sidecar.id, 'changing');
      expectStatus(await clientOf(url).upload(sidecar.bytes), 200);
      ledger.note(sidecar.id, 'stored');
      if (number % 3 !== 0) return;
      ledger.note(sidecar.id, 'changing');
      expectStatus(await clientOf(url).remove(sidecar.id), 204);
      ledger.note(sidecar.id, 'deleted');
    }),
  read: async (url, id) => {
    const response = await clientOf(url).get(id);
    const bytes = Buffer.from(await response.arrayBuffer());
    if (response.status === 404 || response.status === 410) return { state: 'deleted', isWhole: true };
    expectStatus(response, 200);
    return { state: 'stored', isWhole: bytes.equals(bytesById.get(id) ?? Buffer.alloc(0)) };
  },
};

const batchOf = (number: number) =>
  Array.from({ length: BATCH_ASSETS }, (_, at) => randomAsset(number * BATCH_ASSETS + at));

/** An id is the number of a batch of assets, which are added and deleted together. */
const search: Subject = {
  name: 'search',
  names: 'posix',
  start: (folder, env) => startProcess(`usearch://${folder}/indexes`, env),
  work: async (url, ledger) => {
    expectStatus(await post(`${url}/indexes`, { name: 'main' }), 201);
    await inLanes(async (number) => {
      const id = String(number);
      ledger.note(id, 'changing');
      expectStatus(await post(`${url}/indexes/main/assets`, batchOf(number)), 201);
      ledger.note(id, 'stored');
      if (number % 3 !== 0) return;
      ledger.note(id, 'changing');
      const ids = batchOf(number).map(({ iscc_id }) => iscc_id);
      const headers = { 'Content-Type': 'application/json' };
      const body = JSON.stringify(ids);
      expectStatus(await fetch(`${url}/indexes/main/assets`, { method: 'DELETE', headers, body }), 200);
      ledger.note(id, 'deleted');
    });
  },
  read: async (url, id) => {
    await vi.waitFor(async () => expect((await fetch(`${url}/readyz`)).status).toBe(200), 10_000);
    const found = await Promise.all(
      batchOf(Number(id)).map(async (asset, at) => {
        const response = await fetch(`${url}/indexes/main/assets/${isccId(Number(id) * BATCH_ASSETS + at)}`);
        const body: unknown = await response.json();
        if (response.status === 404) return false;
        expect(body).toEqual(asset);
        return true;
      }),
    );
    const count = found.filter(Boolean).length;
    const isWhole = count === 0 || count === BATCH_ASSETS;
    return { state: count === 0 ? 'deleted' : 'stored', isWhole };
  },
};

const WATCHED = native.encodeUnit(2, 0, 0, 256, Buffer.alloc(32, 7));
const watchedAsset = (number: number) => {
  const instance = native.encodeUnit(4, 0, 0, 256, Buffer.alloc(32, number));
  return { iscc_id: isccId(number), units: [WATCHED, instance] };
};
const WATCH = '/indexes/main/watches/all';

/** Events of each asset that the watch reports after a restart, by the address of the service. */
const reported = new Map<string, Promise<ReadonlyMap<string, number>>>();

async function reportedAt(url: string): Promise<ReadonlyMap<string, number>> {
  await vi.waitFor(async () => expect((await fetch(`${url}/readyz`)).status).toBe(200), 10_000);
  expectStatus(await fetch(url + WATCH), 200);
  const numbers = Array.from({ length: CHANGES }, (_, number) => number);
  const stored = await Promise.all(
    numbers.map(async (number) => (await fetch(`${url}/indexes/main/assets/${isccId(number)}`)).ok),
  );
  const events = await nextEvents(url + WATCH, stored.filter(Boolean).length, { quietMs: QUIET_MS });
  const counts = new Map<string, number>();
  for (const { data } of events) counts.set(data.iscc_id, (counts.get(data.iscc_id) ?? 0) + 1);
  for (const number of numbers)
    if (!stored[number]) expect([number, counts.get(isccId(number)) ?? 0]).toEqual([number, 0]);
  return counts;
}

/** An id is the number of an asset, which a watch reports once. */
const watches: Subject = {
  name: 'watches',
  names: 'posix',
  start: async (folder, env) => {
    const service = await startProcess(`usearch://${folder}/indexes`, env);
    reported.delete(service.url);
    return service;
  },
  work: async (url, ledger) => {
    expectStatus(await post(`${url}/indexes`, { name: 'main' }), 201);
    const headers = { 'Content-Type': 'application/json' };
    const body = JSON.stringify({ query: { units: [WATCHED] }, threshold: 1 });
    expectStatus(await fetch(url + WATCH, { method: 'PUT', headers, body }), 201);
    await inLanes(async (number) => {
      const id = String(number);
      ledger.note(id, 'changing');
      expectStatus(await post(`${url}/indexes/main/assets`, [watchedAsset(number)]), 201);
      ledger.note(id, 'stored');
    });
  },
  read: async (url, id) => {
    const counting = reported.get(url) ?? reportedAt(url);
    reported.set(url, counting);
    const count = (await counting).get(isccId(Number(id))) ?? 0;
    return { state: count === 0 ? 'deleted' : 'stored', isWhole: count < 2 };
  },
};

export const SUBJECTS = [codes, store, search, watches] as const;
