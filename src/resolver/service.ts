/** The use cases: from a binding to manifests, and from a manifest's id to its bytes. */
import { type BindingQuery, decodeValue, queryUnits } from '../c2pa/binding-query.js';
import { ISCC_ALGORITHM, statusDocument } from '../c2pa/documents.js';
import type { BindingMatch, ServiceStatus } from '../c2pa/schema.js';
import type { Trace } from '../observe/trace.js';
import { RepositoryFailed, ResolverRefusal } from './errors.js';
import { gatewayOf, hitsOf, isIsccId } from './hits.js';
import type { ManifestSource } from './manifests.js';
import { bestPointers, type Pointer } from './pointers.js';
import type { RecentManifests } from './recent.js';
import { ALGORITHM_CHARS_MAX, VALUE_CHARS_MAX } from './schema.js';
import type { SearchBackend } from './search-backend.js';

/** Hits asked for per match wanted: several declare one manifest, and some point to none. */
const HITS_PER_MATCH = 5;
const HITS_MAX = 100;
/** A query waits no longer for its gateways; what they answer later serves the next one. */
const PROBING_MS_MAX = 10_000;
const STATUS_LIFETIME_MS = 15_000;

export interface ResolverParts {
  readonly backend: SearchBackend;
  readonly manifests: ManifestSource;
  readonly recent: RecentManifests;
  readonly now?: () => number;
}

export class ResolverService {
  readonly #parts: ResolverParts;
  readonly #now: () => number;
  #readiness: { readonly isReady: Promise<boolean>; readonly untilMs: number } | undefined;

  constructor(parts: ResolverParts) {
    this.#parts = parts;
    this.#now = parts.now ?? Date.now;
  }

  /**
   * Manifests whose soft binding is like the query's, best first. `base` is the service's own address.
   *
   * @throws {BindingQueryInvalid} {@link ResolverRefusal} {@link BackendFailed}
   */
  async matches(
    { alg, value }: BindingQuery,
    maxResults: number,
    base: string,
    trace?: Trace,
  ): Promise<BindingMatch[]> {
    if (alg.length > ALGORITHM_CHARS_MAX || alg !== ISCC_ALGORITHM)
      throw new ResolverRefusal('UNSUPPORTED_ALGORITHM');
    if (value.length > VALUE_CHARS_MAX) throw new ResolverRefusal('VALUE_TOO_LONG');
    const units = queryUnits(decodeValue(value)).map(({ unit }) => unit);
    const { backend, manifests, recent } = this.#parts;
    const limit = Math.min(HITS_PER_MATCH * maxResults, HITS_MAX);
    const hits = hitsOf(await backend.search(units, limit, trace));
    const pointers = bestPointers(hits, (gateway) => manifests.idAt(gateway));
    const found = (await this.#verified(pointers, trace)).slice(0, maxResults);
    for (const { manifestId, isccId } of found) recent.add(manifestId, isccId);
    return found.map(({ manifestId, isccId, score }) => ({
      manifestId,
      endpoint: `${base}/v1/iscc/${isccId.slice('ISCC:'.length).toLowerCase()}`,
      similarityScore: score,
      isccId,
    }));
  }

  /**
   * The manifest that a declaration points to.
   *
   * @param id ISCC-ID without prefix, in any case
   * @throws {ResolverRefusal} {@link BackendFailed} {@link RepositoryFailed}
   */
  async manifestOf(id: string, manifestId: string, trace?: Trace): Promise<Buffer> {
    // Not every letter that has a capital among A to Z is one of ours.
    if (!/^[a-z2-7]+$/i.test(id)) throw new ResolverRefusal('MANIFEST_NOT_FOUND');
    return this.#manifest(`ISCC:${id.toUpperCase()}`, manifestId, trace);
  }

  /** The same for a manifest that was found in the last hour. */
  async recentManifest(manifestId: string, trace?: Trace): Promise<Buffer> {
    const isccId = this.#parts.recent.isccIdOf(manifestId);
    if (isccId === undefined) throw new ResolverRefusal('MANIFEST_NOT_FOUND');
    return this.#manifest(isccId, manifestId, trace);
  }

  async status(): Promise<ServiceStatus> {
    return statusDocument((await this.#isReady()) ? 'ok' : 'degraded', this.#now());
  }

  async #manifest(isccId: string, manifestId: string, trace: Trace | undefined): Promise<Buffer> {
    if (!isIsccId(isccId)) throw new ResolverRefusal('MANIFEST_NOT_FOUND');
    const { backend, manifests } = this.#parts;
    const gateway = gatewayOf(await backend.asset(isccId, trace));
    if (gateway === undefined || manifests.idAt(gateway) !== manifestId) {
      throw new ResolverRefusal('MANIFEST_NOT_FOUND');
    }
    const answer = await manifests.read(gateway, manifestId, trace);
    switch (answer.kind) {
      case 'found':
        return answer.bytes;
      case 'not-found':
        throw new ResolverRefusal('MANIFEST_NOT_FOUND');
      case 'unavailable':
        throw new RepositoryFailed(`${gateway}: ${answer.reason}`);
    }
  }

  /** Those behind which there is a manifest store, in their order. */
  async #verified(pointers: readonly Pointer[], trace: Trace | undefined): Promise<Pointer[]> {
    const { manifests } = this.#parts;
    const verified = new Set<Pointer>();
    const probes = pointers.map(async (pointer) => {
      if (await manifests.isStore(pointer.gateway, pointer.manifestId, trace)) verified.add(pointer);
    });
    await within(PROBING_MS_MAX, Promise.all(probes));
    return pointers.filter((pointer) => verified.has(pointer));
  }

  #isReady(): Promise<boolean> {
    const now = this.#now();
    if (this.#readiness === undefined || this.#readiness.untilMs <= now) {
      const isReady = this.#parts.backend.isReady();
      this.#readiness = { isReady, untilMs: now + STATUS_LIFETIME_MS };
    }
    return this.#readiness.isReady;
  }
}

/** Waits for work, but not longer than so. */
async function within(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
