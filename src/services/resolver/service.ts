/** Use cases: from a soft binding to manifests, and from a manifest id to its bytes. */
import { type BindingQuery, decodeValue, queryUnits } from '../../c2pa/binding-query.js';
import type { Binding } from '../../c2pa/content-query.js';
import { ISCC_ALGORITHM, statusDocument } from '../../c2pa/documents.js';
import type { ManifestReader } from '../../c2pa/manifest-reader.js';
import type { BindingMatch, ServiceStatus } from '../../c2pa/schema.js';
import { composeCode } from '../../iscc/codec.js';
import { isIsccId } from '../../iscc/iscc-id.js';
import { isNativeError, native } from '../../native.js';
import type { Trace } from '../../platform/observe/trace.js';
import { endsWithin, monotonicMs } from '../../platform/time-limit.js';
import { RepositoriesSlow, RepositoryBusy, RepositoryFailed, ResolverRefusal } from './errors.js';
import type { ManifestSource } from './manifests.js';
import { type Pointer, rankPointers } from './pointers.js';
import { CANDIDATES_MAX, type RecentManifests } from './recent.js';
import { ALGORITHM_CHARS_MAX, VALUE_CHARS_MAX } from './schema.js';
import type { Hit, SearchBackend } from './search-backend.js';

/** Hits requested per match: several hits may declare the same manifest, and some point to no manifest. */
const HITS_PER_MATCH = 5;
const HITS_MAX = 100;
/** After this a query stops to wait for its gateways, and a fetch by id to try further ones. Later probe results are cached. */
const PROBING_MS_MAX = 10_000;
/** Declarations whose units a query compares with its own: those that come first. */
const COMPARED_MAX = 10;
const SCORE_MAX = 100;
const STATUS_LIFETIME_MS = 15_000;

/** A declaration that matches; with the id of a manifest if its address can be that of one. */
export interface Declaration extends Hit {
  readonly manifestId?: string;
}

/** Services that the resolver needs. */
export interface Dependencies {
  /** Whether the search service responds and has the index. */
  readonly isSearchReady: boolean;
  /** Whether the trusted stores respond. */
  readonly isStoreReady: boolean;
}

export interface ResolverParts {
  readonly backend: SearchBackend;
  readonly manifests: ManifestSource;
  readonly recent: RecentManifests;
  readonly reader: Pick<ManifestReader, 'label'>;
  /** Lowest score of a match, 0 to 100. Default: 0. */
  readonly scoreMin?: number;
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number;
  /** Called after every query that was searched, with the number of manifests it found. */
  readonly onQuery?: (matches: number) => void;
  /** Called with the error of a trusted store whose manifests a query leaves out, because it has found others. */
  readonly onLeftOut?: (error: unknown) => void;
}

export class ResolverService {
  readonly #parts: ResolverParts;
  readonly #now: () => number;
  #dependencies: { readonly state: Promise<Dependencies>; readonly untilMs: number } | undefined;

  constructor(parts: ResolverParts) {
    this.#parts = parts;
    this.#now = parts.now ?? monotonicMs;
  }

  /**
   * Manifests whose soft binding is similar to the query's, best first.
   *
   * @param base public address of this service, the start of every `endpoint`
   * @throws {BindingQueryInvalid} {@link ResolverRefusal} {@link BackendFailed} {@link RepositoriesSlow}
   *   {@link StoreUnavailable}
   */
  async matches(
    { alg, value }: BindingQuery,
    maxResults: number,
    base: string,
    trace?: Trace,
  ): Promise<BindingMatch[]> {
    this.checkAlgorithm(alg);
    if (value.length > VALUE_CHARS_MAX) throw new ResolverRefusal('VALUE_TOO_LONG');
    return this.matchesOf([{ alg, value: decodeValue(value) }], maxResults, base, trace);
  }

  /** @throws {ResolverRefusal} unless queries by the algorithm are supported */
  checkAlgorithm(alg: string): void {
    if (alg.length > ALGORITHM_CHARS_MAX || alg !== ISCC_ALGORITHM)
      throw new ResolverRefusal('UNSUPPORTED_ALGORITHM');
  }

  /** Like {@link matches}, for any of several soft bindings. Those of unsupported algorithms match nothing. */
  async matchesOf(
    bindings: readonly Binding[],
    maxResults: number,
    base: string,
    trace?: Trace,
  ): Promise<BindingMatch[]> {
    const { manifests, recent, scoreMin = 0 } = this.#parts;
    const limit = Math.min(HITS_PER_MATCH * maxResults, HITS_MAX);
    const searches = unitsOfBindings(bindings).map((units) => this.#search(units, limit, trace));
    const hits = (await Promise.all(searches)).flat().filter(({ score }) => score >= scoreMin);
    const pointers = rankPointers(hits, (gateway) => manifests.manifestIdAt(gateway));
    const found = (await this.#withManifest(pointers, trace)).slice(0, maxResults);
    this.#parts.onQuery?.(found.length);
    for (const { manifestId, isccId } of found) recent.add(manifestId, isccId);
    return found.map(({ manifestId, isccId, score }) => ({
      manifestId,
      endpoint: `${base}/v1/iscc/${isccId.slice('ISCC:'.length).toLowerCase()}`,
      similarityScore: score,
      isccId,
    }));
  }

  /** The hits of a search. One whose units are those of the query, and no others, has the score of an exact match. */
  async #search(units: readonly string[], limit: number, trace: Trace | undefined): Promise<Hit[]> {
    const { backend } = this.#parts;
    const hits = await backend.search(units, limit, trace);
    const candidates = hits
      .filter(({ isEqual, score }) => isEqual && score < SCORE_MAX)
      .slice(0, COMPARED_MAX);
    const compared = candidates.map(async (hit) => {
      // Without the units, the match counts as a similar one.
      const own = await backend.units(hit.isccId, trace).catch(() => undefined);
      return own !== undefined && areSame(own, units) ? [hit] : [];
    });
    const exact = new Set((await Promise.all(compared)).flat());
    return hits.map((hit) => (exact.has(hit) ? { ...hit, score: SCORE_MAX } : hit));
  }

  /**
   * The declarations that match one of several queries, best first: those of manifests, one per manifest address, and
   * those with another address, each once. Whether an address serves its manifest is not checked.
   *
   * @param queries units of each
   * @throws {BackendFailed}
   */
  async declarations(queries: readonly (readonly string[])[], trace?: Trace): Promise<Declaration[]> {
    const { backend, manifests } = this.#parts;
    const found = await Promise.all(queries.map((units) => backend.search(units, HITS_MAX, trace)));
    const hits = found.flat();
    const pointers: Declaration[] = rankPointers(hits, (gateway) => manifests.manifestIdAt(gateway));
    const others = hits.filter(({ gateway }) => manifests.manifestIdAt(gateway) === undefined);
    const best = new Map<string, Declaration>();
    for (const hit of others) {
      if ((best.get(hit.isccId)?.score ?? 0) < hit.score) best.set(hit.isccId, hit);
    }
    return [...pointers, ...best.values()].sort((a, b) => b.score - a.score);
  }

  /** The ISCC-CODE of a declared content; `undefined` if the index does not have its units. @throws {BackendFailed} */
  async codeOf(isccId: string, trace?: Trace): Promise<string | undefined> {
    const units = await this.#parts.backend.units(isccId, trace);
    try {
      return units && composeCode(units);
    } catch (error) {
      if (isNativeError(error, 'INVALID_ARGUMENT')) return undefined;
      throw error;
    }
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

  /**
   * The manifest with an id: from a trusted store, else from one of the declarations that queries returned within the
   * last hour, else from one that the index has, so that all replicas agree.
   *
   * @throws like {@link manifestOf}
   */
  async manifestById(manifestId: string, trace?: Trace): Promise<Buffer> {
    const { backend, manifests, recent } = this.#parts;
    const failures: unknown[] = [];
    const attempt = <T>(found: Promise<T>) =>
      found.catch((error: unknown) => {
        failures.push(error);
        return undefined;
      });
    const stored = await attempt(manifests.readTrusted(manifestId));
    if (stored !== undefined) return stored;
    const queried = recent.isccIdsOf(manifestId);
    const matched = await attempt(this.#firstOf(queried, manifestId, trace));
    if (matched !== undefined) return matched;
    const declared = (await attempt(backend.isccIdsOf(manifestId))) ?? [];
    const others = declared.filter((isccId) => !queried.includes(isccId));
    const found = await attempt(this.#firstOf(others, manifestId, trace));
    if (found !== undefined) return found;
    // An unreachable source may have the manifest.
    throw (
      failures.find((error) => !(error instanceof ResolverRefusal)) ??
      new ResolverRefusal('MANIFEST_NOT_FOUND')
    );
  }

  /**
   * The manifest of the first declaration that leads to it; `undefined` without declarations.
   *
   * @throws like {@link manifestOf}
   */
  async #firstOf(
    isccIds: readonly string[],
    manifestId: string,
    trace: Trace | undefined,
  ): Promise<Buffer | undefined> {
    const endMs = this.#now() + PROBING_MS_MAX;
    let failure: unknown;
    for (let at = 0; at < isccIds.length && (at === 0 || this.#now() < endMs); at += CANDIDATES_MAX) {
      // Several at once, so that a slow gateway does not delay the others; the best one that succeeds counts.
      const some = isccIds.slice(at, at + CANDIDATES_MAX);
      const candidates = some.map((isccId) => this.#manifest(isccId, manifestId, trace));
      for (const settled of candidates) settled.catch(() => {});
      for (const candidate of candidates) {
        try {
          return await candidate;
        } catch (error) {
          if (failure === undefined || !(error instanceof ResolverRefusal)) failure = error;
        }
      }
    }
    if (failure !== undefined) throw failure;
    return undefined;
  }

  async status(): Promise<ServiceStatus> {
    const { isSearchReady, isStoreReady } = await this.dependencies();
    return statusDocument(isSearchReady && isStoreReady ? 'ok' : 'degraded', Date.now());
  }

  /** What the service needs from others, as of at most 15 s ago. */
  dependencies(): Promise<Dependencies> {
    const now = this.#now();
    if (this.#dependencies === undefined || this.#dependencies.untilMs <= now) {
      const { backend, manifests } = this.#parts;
      const all = Promise.all([backend.isReady(), manifests.isReady()]);
      const state = all.then(([isSearchReady, isStoreReady]) => ({ isSearchReady, isStoreReady }));
      this.#dependencies = { state, untilMs: now + STATUS_LIFETIME_MS };
    }
    return this.#dependencies.state;
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
        await this.#checkLabel(result.bytes, manifestId, isccId);
        return result.bytes;
      case 'not-found':
        throw new ResolverRefusal('MANIFEST_NOT_FOUND');
      case 'unavailable':
        throw new RepositoryFailed(`${gateway}: ${result.reason}`);
    }
  }

  /**
   * Checks that bytes are a whole Manifest Store whose active manifest has this id. A gateway may serve another manifest than was
   * declared, or a part of one.
   *
   * @throws {ResolverRefusal} {@link RepositoryBusy}
   */
  async #checkLabel(bytes: Buffer, manifestId: string, isccId: string): Promise<void> {
    const { recent, reader } = this.#parts;
    const sha256 = await native.sha256(bytes);
    if (!recent.isConfirmed(manifestId, sha256)) {
      const label = await reader.label(bytes).catch((error: unknown) => {
        if (isNativeError(error, 'BUSY') || isNativeError(error, 'TIMEOUT'))
          throw new RepositoryBusy('too many manifests are being read');
        throw error;
      });
      if (label !== manifestId) throw new ResolverRefusal('MANIFEST_NOT_FOUND');
    }
    recent.confirm(manifestId, isccId, sha256);
  }

  /**
   * The pointers whose address serves a Manifest Store, in the same order.
   *
   * @throws {RepositoriesSlow} if no pointer is confirmed in time, but not all are refuted; {@link StoreUnavailable} or
   *   {@link RepositoryBusy} if no pointer is confirmed, and a trusted store could not say whether it has some
   */
  async #withManifest(pointers: readonly Pointer[], trace: Trace | undefined): Promise<Pointer[]> {
    const { manifests } = this.#parts;
    const confirmed = new Set<Pointer>();
    const failures: unknown[] = [];
    const probes = pointers.map(async (pointer) => {
      try {
        if (await manifests.isStore(pointer.gateway, pointer.manifestId, trace)) confirmed.add(pointer);
      } catch (error) {
        failures.push(error);
      }
    });
    const isComplete = await endsWithin(PROBING_MS_MAX, Promise.all(probes));
    const [failure] = failures;
    if (confirmed.size === 0 && failure !== undefined) throw failure;
    if (!isComplete && confirmed.size === 0) throw new RepositoriesSlow();
    if (failure !== undefined) this.#parts.onLeftOut?.(failure);
    return pointers.filter((pointer) => confirmed.has(pointer));
  }
}

/** Whether two lists have the same units, in any order. */
function areSame(one: readonly string[], other: readonly string[]): boolean {
  const [left, right] = [new Set(one), new Set(other)];
  return left.size === right.size && [...left].every((unit) => right.has(unit));
}

/** The units of each soft binding that can be searched for. Those of unsupported algorithms are left out. */
export function unitsOfBindings(bindings: readonly Binding[]): string[][] {
  return bindings.filter(({ alg }) => alg === ISCC_ALGORITHM).map(({ value }) => queryUnits(value));
}
