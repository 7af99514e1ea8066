/** Looks up at OCSP responders whether certificates of trusted signers are revoked (`MSTORE_OCSP_FETCH`). */
import { discard, PublicClient } from '../../../platform/egress/public-client.js';
import type { Logger } from '../../../platform/observe/log.js';
import { Slots } from '../../../platform/slots.js';
import { monotonicMs } from '../../../platform/time-limit.js';
import type { AcceptedManifest, FetchedOcsp, ManifestReport, Validator } from './validator.js';

const RESPONSE_BYTES_MAX = 64 * 1024;
/** Of all responses for one manifest together. */
const FETCH_MS_MAX = 4000;
const FETCHES_MAX = 16;
const FETCHES_WAITING_MAX = 256;
/** A signer's manifests share a response. */
const FRESH_MS = 3_600_000;
const UNREACHABLE_MS = 60_000;
/** Validity of responses that do not state it, and pause after a responder that did not give one. */
const UNKNOWN_MS = 24 * FRESH_MS;
const ASK_AGAIN_MS_MAX = 7 * 24 * FRESH_MS;
const KEPT_MAX = 1000;

interface Kept {
  readonly der: Promise<Buffer | undefined>;
  /** On the monotonic clock. */
  untilMs: number;
}

/** Fetches OCSP responses; keeps each for an hour. */
export class OcspResponses {
  readonly #client: PublicClient;
  readonly #log: Logger;
  readonly #slots = new Slots(FETCHES_MAX, FETCHES_WAITING_MAX);
  /** By address, oldest first. */
  readonly #kept = new Map<string, Kept>();

  readonly #now: () => number;

  /**
   * @param client connects to public addresses only
   * @param now monotonic time in ms
   */
  constructor(client: PublicClient, log: Logger, now: () => number = monotonicMs) {
    this.#client = client;
    this.#log = log;
    this.#now = now;
  }

  /** The responses that could be fetched. Never rejects. */
  async fetch(addresses: readonly string[]): Promise<FetchedOcsp[]> {
    const fetched = await Promise.all(
      addresses.map(async (address) => ({ address, der: await this.#response(address) })),
    );
    return fetched.flatMap(({ address, der }) => (der === undefined ? [] : [{ address, der }]));
  }

  async close(): Promise<void> {
    await this.#client.close();
  }

  #response(address: string): Promise<Buffer | undefined> {
    const known = this.#kept.get(address);
    if (known !== undefined && known.untilMs > this.#now()) return known.der;
    const kept: Kept = { der: this.#request(address), untilMs: this.#now() + FRESH_MS };
    this.#kept.delete(address);
    this.#kept.set(address, kept);
    if (this.#kept.size > KEPT_MAX) this.#kept.delete(this.#kept.keys().next().value ?? '');
    void kept.der.then((der) => {
      if (der === undefined) kept.untilMs = this.#now() + UNREACHABLE_MS;
    });
    return kept.der;
  }

  async #request(address: string): Promise<Buffer | undefined> {
    try {
      const der = await this.#slots.tryRun(() => this.#get(address));
      if (der !== undefined) return der;
      throw new Error('too many requests are waiting');
    } catch (error) {
      this.#log.warn({ err: error, address }, 'could not fetch an OCSP response');
      return undefined;
    }
  }

  async #get(address: string): Promise<Buffer> {
    const headers = () => ({ accept: 'application/ocsp-response' });
    const opened = await this.#client.get(new URL(address), headers, AbortSignal.timeout(FETCH_MS_MAX));
    if (opened.kind !== 'response') throw new Error(opened.reason);
    const { response } = opened;
    if (response.statusCode !== 200) {
      discard(response);
      throw new Error(`status ${response.statusCode}`);
    }
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of response.body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > RESPONSE_BYTES_MAX) throw new Error(`the response exceeds ${RESPONSE_BYTES_MAX} bytes`);
    }
    return Buffer.concat(chunks);
  }
}

/** When to ask responders again, in seconds since 1970: when the first response gets too old, but within bounds. */
function askAgainAt({ ocspExpires }: AcceptedManifest): number {
  const now = Date.now();
  const expires = ocspExpires === undefined ? now + UNKNOWN_MS : ocspExpires * 1000;
  return Math.min(Math.max(expires, now + FRESH_MS), now + ASK_AGAIN_MS_MAX) / 1000;
}

/**
 * @param allowed for tests: addresses of responders that need not be public
 * @param now monotonic time in ms
 */
export function ocspResponses({
  allowed = new Set(),
  log,
  now = monotonicMs,
}: {
  allowed?: ReadonlySet<string>;
  log: Logger;
  now?: () => number;
}): OcspResponses {
  return new OcspResponses(new PublicClient({ allowed, plainHttp: true }), log, now);
}

/** A validator that refuses manifests whose trusted signer is revoked. Without a response, the signer counts as valid. */
export class RevocationValidator implements Validator {
  readonly #validator: Validator;
  readonly #responses: OcspResponses;

  constructor(validator: Validator, responses: OcspResponses) {
    this.#validator = validator;
    this.#responses = responses;
  }

  async validate(bytes: Uint8Array): Promise<ManifestReport> {
    const report = await this.#validator.validate(bytes);
    if (report.outcome !== 'accepted') return report;
    const { ocspAddresses: addresses = [], ocspExpires } = report;
    if (addresses.length === 0 && ocspExpires === undefined) return report;
    const fetched = await this.#responses.fetch(addresses);
    const judged = fetched.length === 0 ? report : await this.#validator.validate(bytes, fetched);
    return judged.outcome === 'accepted' ? { ...judged, ocspExpires: askAgainAt(judged) } : judged;
  }

  details(bytes: Uint8Array): Promise<string | null> {
    return this.#validator.details(bytes);
  }
}
