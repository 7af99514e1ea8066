/** Reads manifests from gateways, and from the store in this process. */
import { manifestIdIn } from '../c2pa/manifest-url.js';
import type { Trace } from '../observe/trace.js';
import { Slots } from '../slots.js';
import type { GatewayClient } from './gateway-client.js';
import { remoteManifestId } from './pointers.js';
import { type Prober, startsAsStore } from './prober.js';

const MANIFEST_BYTES_MAX = 10 * 1024 * 1024;
const FETCHES_WAITING_MAX = 1_000;

/**
 * A port: the manifest store in this process. Its manifests are read without a connection, so the rules for gateway
 * addresses do not apply: its address may be http or loopback.
 */
export interface LocalManifests {
  /** Prefix of the addresses of its manifests, up to and including `/manifests/`. */
  readonly prefix: string;
  has(manifestId: string): Promise<boolean>;
  /** The stored bytes; `undefined` if the manifest does not exist. */
  read(manifestId: string): Promise<Buffer | undefined>;
}

export type ManifestResult =
  | { readonly kind: 'found'; readonly bytes: Buffer }
  | { readonly kind: 'not-found' }
  | { readonly kind: 'unavailable'; readonly reason: string };

export interface ManifestSourceOptions {
  readonly gateways: GatewayClient;
  readonly prober: Prober;
  readonly local: LocalManifests | undefined;
  readonly fetchTimeoutMs: number;
  readonly parallel: number;
}

export class ManifestSource {
  readonly #options: ManifestSourceOptions;
  readonly #slots: Slots;

  constructor(options: ManifestSourceOptions) {
    this.#options = options;
    this.#slots = new Slots(options.parallel, FETCHES_WAITING_MAX);
  }

  /** The id of the manifest that an address points to; `undefined` if the address is not allowed. */
  manifestIdAt(gateway: string): string | undefined {
    if (this.#isLocal(gateway)) return manifestIdIn(gateway);
    return remoteManifestId(gateway, (url) => this.#options.gateways.accepts(url));
  }

  /** Whether an address that {@link manifestIdAt} accepts serves a Manifest Store. Never rejects. */
  async isStore(gateway: string, manifestId: string, trace?: Trace): Promise<boolean> {
    const { local, prober } = this.#options;
    if (local !== undefined && this.#isLocal(gateway)) return local.has(manifestId);
    return prober.isStore(gateway, trace);
  }

  async read(gateway: string, manifestId: string, trace?: Trace): Promise<ManifestResult> {
    const { local } = this.#options;
    if (local === undefined || !this.#isLocal(gateway)) return this.#fetch(gateway, trace);
    const bytes = await local.read(manifestId);
    return bytes === undefined ? { kind: 'not-found' } : { kind: 'found', bytes };
  }

  #isLocal(gateway: string): boolean {
    const { local } = this.#options;
    return local !== undefined && gateway.startsWith(local.prefix);
  }

  async #fetch(gateway: string, trace: Trace | undefined): Promise<ManifestResult> {
    const { gateways, fetchTimeoutMs } = this.#options;
    const limits = { timeoutMs: fetchTimeoutMs, bytesMax: MANIFEST_BYTES_MAX, trace };
    const fetched = await this.#slots.tryRun(() => gateways.get(gateway, limits));
    if (fetched === undefined) return { kind: 'unavailable', reason: 'too many fetches are waiting' };
    switch (fetched.kind) {
      case 'found':
        return startsAsStore(fetched.bytes) ? fetched : { kind: 'not-found' };
      case 'refused':
        return { kind: 'not-found' };
      case 'unreachable':
        return { kind: 'unavailable', reason: fetched.reason };
    }
  }
}
