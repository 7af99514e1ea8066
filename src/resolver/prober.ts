/** Whether there is a C2PA Manifest Store at a gateway address, by its first bytes; what was found out is kept. */
import type { Trace } from '../observe/trace.js';
import type { Fetched, GatewayClient } from './gateway-client.js';
import { Slots } from './slots.js';

/** Box header, description box header and the type's UUID. */
export const PROBE_BYTES = 32;
const STORE_UUID = '63327061-0011-0010-8000-00aa00389b71'.replaceAll('-', '');

export const FOUND_SECONDS = 86_400;
export const REFUSED_SECONDS = 3_600;
export const UNREACHABLE_SECONDS = 60;

const KEPT_MAX = 10_000;
const WAITING_MAX = 10_000;

/** Whether bytes begin as a C2PA Manifest Store: superbox `jumb`, in it `jumd` of the store's type. */
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
  readonly now?: () => number;
}

interface Finding {
  readonly isStore: boolean;
  readonly untilMs: number;
}

export class Prober {
  readonly #gateways: GatewayClient;
  readonly #timeoutMs: number;
  readonly #now: () => number;
  readonly #slots: Slots;
  /** In the order of their insertion, so that the oldest goes first. */
  readonly #kept = new Map<string, Finding>();
  readonly #running = new Map<string, Promise<boolean>>();

  constructor(gateways: GatewayClient, { timeoutMs, parallel, now = Date.now }: ProberOptions) {
    this.#gateways = gateways;
    this.#timeoutMs = timeoutMs;
    this.#now = now;
    this.#slots = new Slots(parallel, WAITING_MAX);
  }

  /** Asks the gateway unless that was done lately, once for all who want to know. Never rejects. */
  isStore(address: string, trace?: Trace): boolean | Promise<boolean> {
    const kept = this.#kept.get(address);
    if (kept !== undefined && kept.untilMs > this.#now()) return kept.isStore;
    const running = this.#running.get(address);
    if (running !== undefined) return running;
    const probe = this.#probe(address, trace).finally(() => this.#running.delete(address));
    this.#running.set(address, probe);
    return probe;
  }

  async #probe(address: string, trace: Trace | undefined): Promise<boolean> {
    const limits = { timeoutMs: this.#timeoutMs, bytesMax: PROBE_BYTES, head: true, trace };
    const fetched = await this.#slots.run(() => this.#gateways.get(address, limits));
    // Not asked, because too many wait: nothing is known.
    if (fetched === undefined) return false;
    const { isStore, seconds } = judge(fetched);
    this.#keep(address, { isStore, untilMs: this.#now() + seconds * 1000 });
    return isStore;
  }

  #keep(address: string, finding: Finding): void {
    this.#kept.delete(address);
    this.#kept.set(address, finding);
    if (this.#kept.size <= KEPT_MAX) return;
    const [oldest = ''] = this.#kept.keys();
    this.#kept.delete(oldest);
  }
}

function judge(fetched: Fetched): { isStore: boolean; seconds: number } {
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
