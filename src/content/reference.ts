/** Downloads an asset from a URL that a client names. */
import { discard, PublicClient, type PublicClientOptions } from '../platform/egress/public-client.js';
import { Slots } from '../platform/slots.js';
import { withTimeLimit } from '../platform/time-limit.js';
import { ContentRefused } from './coder.js';

/** For the whole download, including redirects. */
const DOWNLOAD_MS_MAX = 60_000;
const RETRY_AFTER_SECONDS = 5;

export interface ReferenceOptions extends PublicClientOptions {
  /** Maximum number of concurrent downloads. Further ones are refused. */
  readonly parallel: number;
  readonly timeoutMs?: number;
}

export interface Reference {
  readonly url: string;
  /** A longer body is refused. */
  readonly bytesMax: number;
  readonly signal: AbortSignal;
}

export class References {
  readonly #client: PublicClient;
  readonly #slots: Slots;
  readonly #timeoutMs: number;

  constructor({ parallel, timeoutMs = DOWNLOAD_MS_MAX, ...options }: ReferenceOptions) {
    this.#client = new PublicClient(options);
    this.#slots = new Slots(parallel, 0);
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Calls `work` with the bytes at a URL while they arrive. The texts of refusals do not depend on what is at an address
   * that is not public.
   *
   * @throws {ContentRefused} and what `work` throws
   */
  async read<T>(reference: Reference, work: (body: AsyncIterable<Uint8Array>) => Promise<T>): Promise<T> {
    // In an object, so that a result of `undefined` differs from a missing slot.
    const done = await this.#slots.tryRun(async () => ({ value: await this.#read(reference, work) }));
    if (done !== undefined) return done.value;
    const retry = { retryAfterSeconds: RETRY_AFTER_SECONDS };
    throw new ContentRefused(503, 'BUSY', 'Too many assets are being downloaded', retry);
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  #read<T>(reference: Reference, work: (body: AsyncIterable<Uint8Array>) => Promise<T>): Promise<T> {
    return withTimeLimit(this.#timeoutMs, reference.signal, (signal) =>
      this.#readWithin({ ...reference, signal }, work),
    );
  }

  async #readWithin<T>(
    { url, bytesMax, signal }: Reference,
    work: (body: AsyncIterable<Uint8Array>) => Promise<T>,
  ): Promise<T> {
    const opened = await this.#client.get(new URL(url), () => ({ accept: '*/*' }), signal);
    if (opened.kind === 'refused') throw refused('it must be https on a public host');
    if (opened.kind === 'unreachable') throw unreachable();
    const { response } = opened;
    try {
      if (response.statusCode !== 200) throw refused(`its server returned status ${response.statusCode}`);
      if (Number(response.headers['content-length']) > bytesMax) throw tooLarge(bytesMax);
      return await work(limited(response.body, bytesMax));
    } finally {
      // Closes the connection unless the body was read completely.
      discard(response);
    }
  }
}

async function* limited(body: AsyncIterable<Uint8Array>, bytesMax: number): AsyncIterable<Uint8Array> {
  let size = 0;
  const chunks = body[Symbol.asyncIterator]();
  for (;;) {
    const { done, value } = await chunks.next().catch((cause: unknown) => {
      throw unreachable({ cause });
    });
    if (done) return;
    size += value.byteLength;
    if (size > bytesMax) throw tooLarge(bytesMax);
    yield value;
  }
}

function refused(reason: string): ContentRefused {
  return new ContentRefused(400, 'REFERENCE_REFUSED', `referenceUrl can't be used: ${reason}`);
}

function unreachable(options?: ErrorOptions): ContentRefused {
  const text =
    'referenceUrl could not be downloaded: its host name is unknown, or its server failed or took too long';
  return new ContentRefused(502, 'REFERENCE_UNREACHABLE', text, options);
}

function tooLarge(bytesMax: number): ContentRefused {
  return new ContentRefused(413, 'REFERENCE_TOO_LARGE', `The asset is larger than ${bytesMax} bytes`);
}
