/**
 * Watches for manifests of a content. Each is a watch of the search service, at the index that stores write to, which reports
 * each address of a manifest once. The search service keeps it and sends the events.
 */
import { Readable } from 'node:stream';
import type { WatchApi } from '../../../c2pa/local-search.js';
import {
  AccessDenied,
  ConnectionFailed,
  NotFound,
  ServiceError,
  Unavailable,
} from '../../../client/errors.js';
import type { NewWatch, Watch } from '../../../client/search-api.js';
import { isIsccId } from '../../../iscc/iscc-id.js';
import { present } from '../../../platform/present.js';
import { unitsOfCode } from '../code-units.js';
import { ResolverRefusal, WatchRefused } from '../errors.js';
import { BackendFailed, BackendUnavailable, type SearchBackend } from '../search-backend.js';
import { ID_RULE, isManifestWatchId, type ManifestWatch, type NewManifestWatch } from './schema.js';

/** Begins the ids in the index, which clients of the search service use, too. */
const PREFIX = 'manifests.';
/** Where declarations have the address of their manifest. */
const ADDRESS = 'metadata.gateway';
const SCORE_MAX = 100;

export interface ManifestWatchesParts {
  readonly api: WatchApi;
  readonly index: string;
  readonly backend: Pick<SearchBackend, 'units'>;
  /** Lowest score of a match, 0 to 100. */
  readonly scoreMin: number;
}

export class ManifestWatches {
  readonly #parts: ManifestWatchesParts;
  readonly #closing = new AbortController();

  constructor(parts: ManifestWatchesParts) {
    this.#parts = parts;
  }

  /** Creates or replaces a watch. @throws {ResolverRefusal} {@link WatchRefused} {@link BindingQueryInvalid} {@link BackendFailed} */
  async put(id: string, { iscc, minScore, webhook }: NewManifestWatch): Promise<ManifestWatch> {
    const { api, index, scoreMin } = this.#parts;
    if (!isManifestWatchId(id)) throw new WatchRefused(400, ID_RULE);
    const units = await this.#unitsOf(iscc);
    const lowest = Math.max(minScore ?? 0, scoreMin);
    const watch: NewWatch = {
      query: { units: [...units] },
      min_score: lowest / SCORE_MAX,
      once: ADDRESS,
      ...present({ webhook }),
    };
    return shown(id, await this.#call('INDEX_MISSING', () => api.putWatch(index, PREFIX + id, watch)));
  }

  async get(id: string): Promise<ManifestWatch> {
    const { api, index } = this.#parts;
    return shown(id, await this.#call('WATCH_NOT_FOUND', () => api.getWatch(index, PREFIX + id)));
  }

  async delete(id: string): Promise<void> {
    const { api, index } = this.#parts;
    await this.#call('WATCH_NOT_FOUND', () => api.deleteWatch(index, PREFIX + id));
  }

  /** The events as server-sent events. Ends with the stream of the search service; a client continues with a new one. */
  async events(id: string, after: string | undefined, client: AbortSignal): Promise<Readable> {
    const { api, index } = this.#parts;
    const signal = AbortSignal.any([client, this.#closing.signal]);
    const open = () => api.watchStream(index, PREFIX + id, after, signal);
    const stream = await this.#call('WATCH_NOT_FOUND', open);
    return Readable.from(untilLost(stream), { objectMode: false });
  }

  /** Ends all streams. */
  close(): void {
    this.#closing.abort();
  }

  async #unitsOf(iscc: string): Promise<readonly string[]> {
    if (!isIsccId(iscc)) return unitsOfCode(iscc).units;
    const units = await this.#parts.backend.units(iscc);
    if (units === undefined || units.length === 0) throw new ResolverRefusal('ISCC_ID_NOT_FOUND');
    return units;
  }

  /** @param missing what a 404 of the search service means */
  async #call<T>(missing: 'INDEX_MISSING' | 'WATCH_NOT_FOUND', work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (cause) {
      if (cause instanceof NotFound) throw new ResolverRefusal(missing);
      if (cause instanceof ConnectionFailed || cause instanceof Unavailable)
        throw new BackendUnavailable('the search service is unavailable', { cause });
      if (!(cause instanceof ServiceError)) throw cause;
      if (cause instanceof AccessDenied || cause.status >= 500)
        throw new BackendFailed(`the search service refused a watch: ${cause.message}`, { cause });
      throw new WatchRefused(cause.status === 409 ? 409 : 400, detailOf(cause));
    }
  }
}

function shown(
  id: string,
  { query, min_score, webhook, created_at, secret, delivery }: Watch,
): ManifestWatch {
  const scoreOf = (share: number) => Math.round(share * SCORE_MAX);
  const minScore = min_score === undefined ? undefined : scoreOf(min_score);
  return {
    id,
    units: [...(query.units ?? [])],
    createdAt: created_at,
    ...present({ minScore, webhook, secret, delivery }),
  };
}

/** The text of an error of the search service, which may be a list. */
function detailOf({ body, message }: ServiceError): string {
  const { detail } = (body ?? {}) as { readonly detail?: unknown };
  if (typeof detail === 'string') return detail;
  if (!Array.isArray(detail)) return message;
  const issues = detail as readonly { readonly loc?: readonly unknown[]; readonly msg?: string }[];
  return issues.map(({ loc, msg }) => `${String(loc?.at(-1))}: ${msg}`).join('; ');
}

async function* untilLost(stream: AsyncIterable<Uint8Array | string>): AsyncGenerator<Uint8Array | string> {
  try {
    yield* stream;
  } catch {
    // The search service stopped, or the client is gone. A client that continues gets all that it missed.
  }
}
