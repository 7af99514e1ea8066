/** Reads manifests from gateways, and from trusted stores: the one in this process and that of `RESOLVER_STORE_URL`. */
import { manifestIdIn } from '../../c2pa/manifest-url.js';
import type { Trace } from '../../platform/observe/trace.js';
import { Slots } from '../../platform/slots.js';
import { type GatewayClient, siteOf } from './gateway-client.js';
import { remoteManifestId } from './pointers.js';
import { type Prober, startsAsStore } from './prober.js';

export const MANIFEST_BYTES_MAX = 10 * 1024 * 1024;
const FETCHES_WAITING_MAX = 1_000;

/**
 * A port: a trusted manifest store, in this process or at a configured address. The rules for gateway addresses do not
 * apply to its manifests: their address may be http or loopback.
 */
export interface LocalManifests {
  /** Prefix of the addresses of its manifests, up to and including `/manifests/`. */
  readonly prefix: string;
  /** @throws {RepositoryFailed} if it cannot say */
  has(manifestId: string): Promise<boolean>;
  /** The stored bytes; `undefined` if the manifest does not exist. @throws {RepositoryFailed} */
  read(manifestId: string): Promise<Buffer | undefined>;
  /** Whether it responds. Never rejects. Absent for a store in this process, which reports its own state. */
  isReady?(): Promise<boolean>;
}

export type ManifestResult =
  | { readonly kind: 'found'; readonly bytes: Buffer }
  | { readonly kind: 'not-found' }
  | { readonly kind: 'unavailable'; readonly reason: string };

export interface ManifestSourceOptions {
  readonly gateways: GatewayClient;
  readonly prober: Prober;
  /** Trusted stores. */
  readonly stores: readonly LocalManifests[];
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
    if (this.#storeOf(gateway) !== undefined) return manifestIdIn(gateway);
    return remoteManifestId(gateway, (url) => this.#options.gateways.accepts(url));
  }

  /**
   * Whether an address that {@link manifestIdAt} accepts serves a Manifest Store; `false` also if a gateway is unreachable.
   *
   * @throws {RepositoryFailed} if a trusted store is unreachable
   */
  async isStore(gateway: string, manifestId: string, trace?: Trace): Promise<boolean> {
    const store = this.#storeOf(gateway);
    return store === undefined ? this.#options.prober.isStore(gateway, trace) : store.has(manifestId);
  }

  /** @throws {RepositoryFailed} if a trusted store is unreachable */
  async read(gateway: string, manifestId: string, trace?: Trace): Promise<ManifestResult> {
    const store = this.#storeOf(gateway);
    if (store === undefined) return this.#fetch(gateway, trace);
    const bytes = await store.read(manifestId);
    return bytes === undefined ? { kind: 'not-found' } : { kind: 'found', bytes };
  }

  /** The manifest with an id in a trusted store. @throws {RepositoryFailed} if such a store is unreachable */
  async readTrusted(manifestId: string): Promise<Buffer | undefined> {
    for (const store of this.#options.stores) {
      const bytes = await store.read(manifestId);
      if (bytes !== undefined) return bytes;
    }
    return undefined;
  }

  /** Whether all trusted stores respond. */
  async isReady(): Promise<boolean> {
    const all = await Promise.all(this.#options.stores.map((store) => store.isReady?.() ?? true));
    return all.every(Boolean);
  }

  #storeOf(gateway: string): LocalManifests | undefined {
    return this.#options.stores.find(({ prefix }) => gateway.startsWith(prefix));
  }

  async #fetch(gateway: string, trace: Trace | undefined): Promise<ManifestResult> {
    const { gateways, fetchTimeoutMs } = this.#options;
    const limits = { timeoutMs: fetchTimeoutMs, bytesMax: MANIFEST_BYTES_MAX, trace };
    const fetched = await this.#slots.tryRun(() => gateways.get(gateway, limits), siteOf(gateway));
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
