/** Checks by its first bytes whether a gateway address serves a C2PA Manifest Store. Caches the results. */
import type { Trace } from '../../platform/observe/trace.js';
import { Slots } from '../../platform/slots.js';
import { monotonicMs } from '../../platform/time-limit.js';
import { type Fetched, type GatewayClient, siteOf } from './gateway-client.js';

/** Superbox header, description box header and type UUID. */
export const PROBE_BYTES = 32;
const STORE_UUID = '63327061-0011-0010-8000-00aa00389b71'.replaceAll('-', '');

export const FOUND_SECONDS = 86_400;
export const REFUSED_SECONDS = 3_600;
export const UNREACHABLE_SECONDS = 60;

export const CACHED_MAX = 10_000;
const WAITING_MAX = 10_000;

/** Whether bytes start like a C2PA Manifest Store: superbox `jumb`, in it a `jumd` box with the store's UUID. */
export function startsAsStore(bytes: Buffer): boolean {
  if (bytes.length < PROBE_BYTES) return false;
  return (
    bytes.toString('latin1', 4, 8) === 'jumb' &&
    bytes.toString('latin1', 12, 16) === 'jumd' &&
    bytes.toString('hex', 16, 32) === STORE_UUID
  );
}

export interface ProberOptions {
  readonly timeoutMs: number;
  readonly parallel: number;
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number;
}

interface CachedResult {
  readonly isStore: boolean;
  readonly untilMs: number;
}

export class Prober {
  readonly #gateways: GatewayClient;
  readonly #timeoutMs: number;
  readonly #now: () => number;
  readonly #slots: Slots;
  /** In order of insertion: the first entry is the oldest. */
  readonly #cache = new Map<string, CachedResult>();
  readonly #running = new Map<string, Promise<boolean>>();

  constructor(gateways: GatewayClient, { timeoutMs, parallel, now = monotonicMs }: ProberOptions) {
    this.#gateways = gateways;
    this.#timeoutMs = timeoutMs;
    this.#now = now;
    this.#slots = new Slots(parallel, WAITING_MAX);
  }

  /** The cached result, or a probe that concurrent callers share. Never rejects. */
  isStore(address: string, trace?: Trace): boolean | Promise<boolean> {
    const cached = this.#cache.get(address);
    if (cached !== undefined && cached.untilMs > this.#now()) return cached.isStore;
    const running = this.#running.get(address);
    if (running !== undefined) return running;
    const probe = this.#probe(address, trace).finally(() => this.#running.delete(address));
    this.#running.set(address, probe);
    return probe;
  }

  async #probe(address: string, trace: Trace | undefined): Promise<boolean> {
    const limits = { timeoutMs: this.#timeoutMs, bytesMax: PROBE_BYTES, head: true, trace };
    const fetched = await this.#slots.tryRun(() => this.#gateways.get(address, limits), siteOf(address));
    // Too many probes are waiting, so this one was not sent: cache nothing.
    if (fetched === undefined) return false;
    const { isStore, seconds } = resultOf(fetched);
    this.#store(address, { isStore, untilMs: this.#now() + seconds * 1000 });
    return isStore;
  }

  #store(address: string, result: CachedResult): void {
    this.#cache.delete(address);
    this.#cache.set(address, result);
    if (this.#cache.size <= CACHED_MAX) return;
    const [oldest = ''] = this.#cache.keys();
    this.#cache.delete(oldest);
  }
}

function resultOf(fetched: Fetched): { isStore: boolean; seconds: number } {
  switch (fetched.kind) {
    case 'found':
      return startsAsStore(fetched.bytes)
        ? { isStore: true, seconds: FOUND_SECONDS }
        : { isStore: false, seconds: REFUSED_SECONDS };
    case 'refused':
      return { isStore: false, seconds: REFUSED_SECONDS };
    case 'unreachable':
      return { isStore: false, seconds: UNREACHABLE_SECONDS };
  }
}
