/** Use cases: from a soft binding to manifests, and from a manifest id to its bytes. */
import { type BindingQuery, decodeValue, queryUnits } from '../c2pa/binding-query.js';
import { ISCC_ALGORITHM, statusDocument } from '../c2pa/documents.js';
import type { BindingMatch, ServiceStatus } from '../c2pa/schema.js';
import { isIsccId } from '../iscc-id.js';
import type { Trace } from '../observe/trace.js';
import { RepositoryFailed, ResolverRefusal } from './errors.js';
import type { ManifestSource } from './manifests.js';
import { type Pointer, rankPointers } from './pointers.js';
import type { RecentManifests } from './recent.js';
import { ALGORITHM_CHARS_MAX, VALUE_CHARS_MAX } from './schema.js';
import type { SearchBackend } from './search-backend.js';

/** Hits requested per match: several hits may declare the same manifest, and some point to no manifest. */
const HITS_PER_MATCH = 5;
const HITS_MAX = 100;
/** Longest wait of a query for its gateways; later probe results are cached for the next query. */
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
   * Manifests whose soft binding is similar to the query's, best first.
   *
   * @param base public address of this service, the start of every `endpoint`
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
    const units = queryUnits(decodeValue(value));
    const { backend, manifests, recent } = this.#parts;
    const limit = Math.min(HITS_PER_MATCH * maxResults, HITS_MAX);
    const hits = await backend.search(units, limit, trace);
    const pointers = rankPointers(hits, (gateway) => manifests.manifestIdAt(gateway));
    const found = (await this.#withManifest(pointers, trace)).slice(0, maxResults);
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
   * @param id ISCC-ID without prefix, in upper or lower case
   * @throws {ResolverRefusal} {@link BackendFailed} {@link RepositoryFailed}
   */
  async manifestOf(id: string, manifestId: string, trace?: Trace): Promise<Buffer> {
    // Checked before upper-casing, which maps some non-ASCII letters to A to Z.
    if (!/^[a-z2-7]+$/i.test(id)) throw new ResolverRefusal('MANIFEST_NOT_FOUND');
    return this.#manifest(`ISCC:${id.toUpperCase()}`, manifestId, trace);
  }

  /** The manifest with an id that a query returned within the last hour. @throws like {@link manifestOf} */
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
    const gateway = await backend.gateway(isccId, trace);
    if (gateway === undefined || manifests.manifestIdAt(gateway) !== manifestId) {
      throw new ResolverRefusal('MANIFEST_NOT_FOUND');
    }
    const result = await manifests.read(gateway, manifestId, trace);
    switch (result.kind) {
      case 'found':
        return result.bytes;
      case 'not-found':
        throw new ResolverRefusal('MANIFEST_NOT_FOUND');
      case 'unavailable':
        throw new RepositoryFailed(`${gateway}: ${result.reason}`);
    }
  }

  /** The pointers whose address serves a Manifest Store, in the same order. */
  async #withManifest(pointers: readonly Pointer[], trace: Trace | undefined): Promise<Pointer[]> {
    const { manifests } = this.#parts;
    const confirmed = new Set<Pointer>();
    const probes = pointers.map(async (pointer) => {
      if (await manifests.isStore(pointer.gateway, pointer.manifestId, trace)) confirmed.add(pointer);
    });
    await waitAtMost(PROBING_MS_MAX, Promise.all(probes));
    return pointers.filter((pointer) => confirmed.has(pointer));
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

/** Resolves when the work is done or the time is over. */
async function waitAtMost(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  try {
    await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
