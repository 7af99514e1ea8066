/** Where manifests come from: gateways, and the store in the same process. */
import { manifestIdIn } from '../c2pa/manifest-url.js';
import type { Trace } from '../observe/trace.js';
import type { GatewayClient } from './gateway-client.js';
import { pointedId } from './pointers.js';
import { type Prober, startsAsStore } from './prober.js';
import { Slots } from './slots.js';

const MANIFEST_BYTES_MAX = 10 * 1024 * 1024;
const FETCHES_WAITING_MAX = 1_000;

/**
 * A port: a manifest store in this process. Its manifests are read without a connection, so that its address may be
 * one that no gateway may have: http, or an address of this machine.
 */
export interface LocalManifests {
  /** What its manifests' addresses begin with, up to and with `/manifests/`. */
  readonly prefix: string;
  has(manifestId: string): Promise<boolean>;
  /** The bytes as stored; `undefined` if there is no such manifest. */
  read(manifestId: string): Promise<Buffer | undefined>;
}

export type ManifestAnswer =
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

  /** The id of the manifest that an address points to; `undefined` for an address that we don't read from. */
  idAt(gateway: string): string | undefined {
    if (this.#isLocal(gateway)) return manifestIdIn(gateway);
    return pointedId(gateway, (url) => this.#options.gateways.accepts(url));
  }

  /** Whether there is a manifest store at an address that {@link idAt} accepts. Never rejects. */
  async isStore(gateway: string, manifestId: string, trace?: Trace): Promise<boolean> {
    const { local, prober } = this.#options;
    if (local !== undefined && this.#isLocal(gateway)) return local.has(manifestId);
    return prober.isStore(gateway, trace);
  }

  async read(gateway: string, manifestId: string, trace?: Trace): Promise<ManifestAnswer> {
    const { local } = this.#options;
    if (local === undefined || !this.#isLocal(gateway)) return this.#fetch(gateway, trace);
    const bytes = await local.read(manifestId);
    return bytes === undefined ? { kind: 'not-found' } : { kind: 'found', bytes };
  }

  #isLocal(gateway: string): boolean {
    const { local } = this.#options;
    return local !== undefined && gateway.startsWith(local.prefix);
  }

  async #fetch(gateway: string, trace: Trace | undefined): Promise<ManifestAnswer> {
    const { gateways, fetchTimeoutMs } = this.#options;
    const limits = { timeoutMs: fetchTimeoutMs, bytesMax: MANIFEST_BYTES_MAX, trace };
    const fetched = await this.#slots.run(() => gateways.get(gateway, limits));
    if (fetched === undefined) return { kind: 'unavailable', reason: 'too many fetches wait' };
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
