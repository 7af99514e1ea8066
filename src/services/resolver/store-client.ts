/** Reads manifests of one trusted store over HTTP, such as the one next to this resolver in a container network. */
import { type Dispatcher, Pool } from 'undici';
import { manifestUrl } from '../../c2pa/manifest-url.js';
import { monotonicMs } from '../../platform/time-limit.js';
import { RepositoryBusy, RepositoryFailed, StoreUnavailable } from './errors.js';
import { type LocalManifests, MANIFEST_BYTES_MAX } from './manifests.js';

export interface StoreClientOptions {
  /** The store's public address, with which its manifests' addresses begin (`MSTORE_URL`). */
  readonly url: string;
  /** Where this resolver reaches it. */
  readonly address: string;
  readonly timeoutMs: number;
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number;
}

const TOO_MANY_REQUESTS = 429;
const BUSY_REASON = 'the store is busy; exempt the resolver from its rate limits with MSTORE_UNTHROTTLED';
/** The id of no manifest: its look-up shows whether the store and its database respond. */
const ABSENT_ID = 'urn:c2pa:00000000-0000-0000-0000-000000000000';
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

  constructor({ url, address, timeoutMs, now = monotonicMs }: StoreClientOptions) {
    const { origin, pathname } = new URL(address);
    this.prefix = manifestUrl(url, '');
    this.#pool = new Pool(origin, { connections: CONNECTIONS_MAX, connect: { timeout: timeoutMs } });
    this.#base = pathname.replace(/\/+$/, '');
    // The store accepts its public host name only.
    this.#host = new URL(url).host;
    this.#timeoutMs = timeoutMs;
    this.#now = now;
  }

  /** @throws like {@link read} */
  async has(manifestId: string): Promise<boolean> {
    if ((this.#found.get(manifestId) ?? 0) > this.#now()) return true;
    const isFound = (await this.#get('HEAD', manifestId)) !== undefined;
    if (isFound) this.#remember(manifestId);
    return isFound;
  }

  /** @throws {StoreUnavailable} if the store is unreachable or fails; {@link RepositoryBusy} beyond its rate limits */
  read(manifestId: string): Promise<Buffer | undefined> {
    return this.#get('GET', manifestId);
  }

  /** Whether the store and its database respond. */
  async isReady(): Promise<boolean> {
    try {
      await this.#get('HEAD', ABSENT_ID);
      return true;
    } catch {
      return false;
    }
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
  }

  /** The body of a response, empty for HEAD; `undefined` if the store does not have the manifest. */
  async #get(method: 'GET' | 'HEAD', manifestId: string): Promise<Buffer | undefined> {
    try {
      const response = await this.#request(method, manifestId);
      const { statusCode } = response;
      if (statusCode === 200) return await bytesOf(response);
      await response.body.dump();
      if (statusCode === TOO_MANY_REQUESTS) throw new RepositoryBusy(BUSY_REASON);
      if (statusCode < 500) return undefined;
      throw new StoreUnavailable(`the store responded with status ${statusCode}`);
    } catch (cause) {
      if (cause instanceof RepositoryFailed) throw cause;
      throw new StoreUnavailable('the store is unreachable', { cause });
    }
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
    if (size > MANIFEST_BYTES_MAX)
      throw new RepositoryFailed(`the manifest of the store exceeds ${MANIFEST_BYTES_MAX} bytes`);
  }
  return Buffer.concat(chunks);
}
