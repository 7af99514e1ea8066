/** Mixed load from the typed client through the proxy. Every client has an address of its own and makes few requests. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Agent } from 'undici';
import { CodesClient, type Download, SearchClient, StoreClient } from '../../../src/client/index.js';
import { native } from '../../../src/native.js';
import { noise, sha256 } from '../../codes/support/client.js';
import { randomAsset } from '../../search/support/random-assets.js';
import { freshBinding, freshManifest } from '../../store/support/fresh-manifest.js';
import { Random } from '../../support/torture.js';
import type { Cluster } from './cluster.js';
import type { Ledger, StoredFile, StoredManifest } from './ledger.js';

export const INDEX = 'cluster';
export const BATCH_ASSETS = 20;
/** Below the limits of one client. */
const REQUESTS_PER_CLIENT = 8;
const PAUSE_MS = 40;
/** The client shows every response: the ledger judges it. */
const ONCE = { retry: { attempts: 1 } };

export interface Clients {
  readonly codes: CodesClient;
  readonly search: SearchClient;
  readonly store: StoreClient;
}

export interface LoadOptions {
  readonly cluster: Cluster;
  readonly ledger: Ledger;
  readonly seed: number;
  readonly apiKey: string;
}

/** A Semantic-Code Text that all assets have, and which searches do not ask for. */
export const WATCHED_UNIT = native.encodeUnit(1, 0, 0, 256, new Uint8Array(32).fill(0b0110_1001));

/** The assets of a batch. */
export const assetsOf = (batch: number) =>
  Array.from({ length: BATCH_ASSETS }, (_, at) => {
    const asset = randomAsset(batch * BATCH_ASSETS + at);
    return { ...asset, iscc_id: asset.iscc_id as string, units: [...(asset.units ?? []), WATCHED_UNIT] };
  });

/** The bytes of a download. @throws the stream's error if it is incomplete */
export async function bytesOf({ stream, bytes }: Download): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of stream) pieces.push(piece as Buffer);
  const all = Buffer.concat(pieces);
  if (bytes !== undefined && all.length !== bytes) throw new Error(`${all.length} of ${bytes} bytes`);
  return all;
}

/** A new address in the network of clients, of 2^22. */
export function randomAddress(random: Random): string {
  return `127.${192 + random.below(32)}.${random.below(256)}.${1 + random.below(254)}`;
}

export function clientsOver(cluster: Cluster, dispatcher: Agent, apiKey: string): Clients {
  const options = { ...ONCE, dispatcher };
  return {
    codes: new CodesClient(cluster.urlOf('codes'), options),
    search: new SearchClient(cluster.urlOf('search'), { ...options, apiKey }),
    store: new StoreClient(cluster.urlOf('store'), options),
  };
}

export async function manifest(): Promise<{ bytes: Buffer; value: string }> {
  const value = freshBinding();
  return { bytes: await freshManifest(value), value: value.toString('base64') };
}

export class Load {
  readonly #options: LoadOptions;
  #nextBatch = 0;
  #isOver = false;
  /** Whether nothing is broken, so that reads see everything. */
  isCalm = true;
  #running: Promise<void>[] = [];

  constructor(options: LoadOptions) {
    this.#options = options;
  }

  start(lanes: number): void {
    this.#running = Array.from({ length: lanes }, (_, lane) => this.#lane(lane));
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#running);
  }

  /** One client after another. */
  async #lane(lane: number): Promise<void> {
    const { cluster, seed, apiKey } = this.#options;
    const random = new Random(seed, lane);
    while (!this.#isOver) {
      const from = randomAddress(random);
      const agent = cluster.client(from);
      const clients = clientsOver(cluster, agent, apiKey);
      const own: StoredFile[] = [];
      for (let sent = 0; sent < REQUESTS_PER_CLIENT && !this.#isOver; sent += 1) {
        await this.#request(clients, own, from, random);
        await pause(PAUSE_MS);
      }
      await agent.destroy();
    }
  }

  async #request(clients: Clients, own: StoredFile[], from: string, random: Random): Promise<void> {
    const { ledger } = this.#options;
    const kinds = {
      file: () => this.#upload(clients, own, from, random),
      assets: () => this.#addAssets(clients),
      manifest: () => this.#storeManifest(clients),
      download: () => this.#download(clients, own.at(-1)),
      search: () => this.#search(clients, random),
      fetch: () => this.#fetch(clients, random),
      deletion: () =>
        random.chance(0.5) ? this.#deleteFile(clients, own) : this.#deleteAssets(clients, random),
    };
    const name = random.pick(Object.keys(kinds) as (keyof typeof kinds)[]);
    try {
      await kinds[name]();
    } catch (error) {
      ledger.judge(`${name} from ${from}`, error);
    }
  }

  async #upload({ codes }: Clients, own: StoredFile[], from: string, random: Random): Promise<void> {
    const { files } = this.#options.ledger;
    const isCoded = random.chance(0.3);
    const text = `${random.word()} a text of this test `.repeat(20);
    const bytes = isCoded ? Buffer.from(text) : noise(2000 + random.below(60_000), random.word());
    const { media_id: id, iscc } = isCoded
      ? await codes.createIscc(bytes, { filename: 'a.txt' })
      : { ...(await codes.uploadMedia(bytes, { filename: 'a.bin' })), iscc: undefined };
    const file = { id, sha256: sha256(bytes), from, iscc };
    own.push(file);
    files.push(file);
  }

  async #addAssets({ search }: Clients): Promise<void> {
    const batch = this.#nextBatch;
    this.#nextBatch += 1;
    await search.addAssets(INDEX, assetsOf(batch));
    this.#options.ledger.batches.push(batch);
  }

  async #storeManifest({ store }: Clients): Promise<void> {
    const { bytes, value } = await manifest();
    const { manifestId: id } = await store.storeManifest(bytes);
    this.#options.ledger.manifests.push({ id, bytes, value });
  }

  async #download({ codes }: Clients, file: StoredFile | undefined): Promise<void> {
    if (file === undefined) return;
    const { ledger } = this.#options;
    const download = await codes.downloadMedia(file.id);
    const bytes = await bytesOf(download).catch(() => undefined);
    // The status was sent before the connection ended.
    if (bytes === undefined) ledger.truncated += 1;
    else if (sha256(bytes) !== file.sha256) ledger.violations.push(`${file.id}: other bytes`);
    ledger.reads += 1;
  }

  /** Any instance finds what any instance has acknowledged. */
  async #search({ search }: Clients, random: Random): Promise<void> {
    const { ledger } = this.#options;
    const known = ledger.batches.length === 0 ? undefined : random.pick(ledger.batches);
    if (known === undefined) return;
    const wasCalm = this.isCalm;
    const asset = randomAsset(known * BATCH_ASSETS + random.below(BATCH_ASSETS));
    const { global_matches: matches } = await search.search(INDEX, { units: asset.units as string[] }, 3);
    ledger.reads += 1;
    const isFound = matches.some(({ iscc_id }) => iscc_id === asset.iscc_id);
    const isKept = ledger.batches.includes(known);
    if (!isFound && isKept && wasCalm && this.isCalm)
      ledger.violations.push(`search: ${asset.iscc_id} is missing`);
  }

  async #deleteFile({ codes }: Clients, own: StoredFile[]): Promise<void> {
    const file = own.pop();
    if (file === undefined) return;
    const { ledger } = this.#options;
    ledger.take(ledger.files, file);
    await codes.deleteMedia(file.id);
    ledger.deletedFiles.push(file);
  }

  async #deleteAssets({ search }: Clients, random: Random): Promise<void> {
    const { ledger } = this.#options;
    if (ledger.batches.length === 0) return;
    const batch = random.pick(ledger.batches);
    ledger.take(ledger.batches, batch);
    await search.deleteAssets(
      INDEX,
      assetsOf(batch).map(({ iscc_id }) => iscc_id),
    );
    ledger.deletedBatches.push(batch);
  }

  async #fetch({ store }: Clients, random: Random): Promise<void> {
    const { ledger } = this.#options;
    const known: StoredManifest | undefined =
      ledger.manifests.length === 0 ? undefined : random.pick(ledger.manifests);
    if (known === undefined) return;
    const download = await store.getManifestById(known.id);
    const bytes = await bytesOf(download).catch(() => undefined);
    if (bytes === undefined) ledger.truncated += 1;
    else if (!bytes.equals(known.bytes)) ledger.violations.push(`${known.id}: other bytes`);
    ledger.reads += 1;
  }
}
