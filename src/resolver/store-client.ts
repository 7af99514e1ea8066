/** Reads manifests of one trusted store over HTTP, such as the one next to this resolver in a container network. */
import { type Dispatcher, Pool } from 'undici';
import { manifestUrl } from '../c2pa/manifest-url.js';
import { RepositoryBusy, RepositoryFailed } from './errors.js';
import { type LocalManifests, MANIFEST_BYTES_MAX } from './manifests.js';

export interface StoreClientOptions {
  /** The store's public address, with which its manifests' addresses begin (`MSTORE_URL`). */
  readonly url: string;
  /** Where this resolver reaches it. */
  readonly address: string;
  readonly timeoutMs: number;
  readonly now?: () => number;
}

/** Too many requests, and a store that waits for its database. */
const BUSY: ReadonlySet<number> = new Set([429, 503]);
const BUSY_REASON = 'the store is busy; exempt the resolver from its rate limits with MSTORE_UNTHROTTLED';
const CONNECTIONS_MAX = 16;
/** How long a manifest that was found counts as existing. */
const FOUND_MS = 30_000;
const FOUND_MAX = 10_000;

export class StoreClient implements LocalManifests {
  readonly prefix: string;
  readonly #pool: Pool;
  readonly #base: string;
  readonly #host: string;
  readonly #timeoutMs: number;
  readonly #now: () => number;
  /** Ids by insertion, with the end of their validity. */
  readonly #found = new Map<string, number>();

  constructor({ url, address, timeoutMs, now = Date.now }: StoreClientOptions) {
    const { origin, pathname } = new URL(address);
    this.prefix = manifestUrl(url, '');
    this.#pool = new Pool(origin, { connections: CONNECTIONS_MAX, connect: { timeout: timeoutMs } });
    this.#base = pathname.replace(/\/+$/, '');
    // The store accepts its public host name only.
    this.#host = new URL(url).host;
    this.#timeoutMs = timeoutMs;
    this.#now = now;
  }

  /** Whether the store has a manifest; `false` also if it is unreachable. Never rejects. */
  async has(manifestId: string): Promise<boolean> {
    if ((this.#found.get(manifestId) ?? 0) > this.#now()) return true;
    try {
      const { statusCode, body } = await this.#request('HEAD', manifestId);
      await body.dump();
      if (statusCode === 200) this.#remember(manifestId);
      return statusCode === 200;
    } catch {
      return false;
    }
  }

  /** @throws {RepositoryFailed} if the store is unreachable; {@link RepositoryBusy} if it asks for another try */
  async read(manifestId: string): Promise<Buffer | undefined> {
    try {
      const response = await this.#request('GET', manifestId);
      if (response.statusCode === 200) return await bytesOf(response);
      await response.body.dump();
      if (BUSY.has(response.statusCode)) throw new RepositoryBusy(BUSY_REASON);
      if (response.statusCode < 500) return undefined;
      throw new Error(`status ${response.statusCode}`);
    } catch (cause) {
      if (cause instanceof RepositoryBusy) throw cause;
      throw new RepositoryFailed('the store is unreachable', { cause });
    }
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
  }

  #request(method: 'GET' | 'HEAD', manifestId: string): Promise<Dispatcher.ResponseData> {
    return this.#pool.request({
      method,
      path: manifestUrl(this.#base, manifestId),
      headers: { host: this.#host, accept: 'application/c2pa', 'accept-encoding': 'identity' },
      signal: AbortSignal.timeout(this.#timeoutMs),
    });
  }

  #remember(manifestId: string): void {
    this.#found.delete(manifestId);
    this.#found.set(manifestId, this.#now() + FOUND_MS);
    if (this.#found.size <= FOUND_MAX) return;
    const [oldest = ''] = this.#found.keys();
    this.#found.delete(oldest);
  }
}

async function bytesOf({ body }: Dispatcher.ResponseData): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > MANIFEST_BYTES_MAX) throw new Error(`the manifest exceeds ${MANIFEST_BYTES_MAX} bytes`);
  }
  return Buffer.concat(chunks);
}
