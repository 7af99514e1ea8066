/** A similarity index service over HTTP. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { AddResult, Entry, IndexInfo, Query, SearchResult, SearchService } from './types.js';
import { SearchFailed } from './types.js';

const TIMEOUT_MS = 60_000;
/** Pauses before a request is sent again whose connection failed, or that met a busy service. */
const RETRY_PAUSES_MS = [1000, 2000, 4000];
const BUSY = 503;

export interface SearchClientOptions {
  /** Sent as `X-API-Key`. */
  readonly apiKey?: string;
  readonly timeoutMs?: number;
  /** One pause before each further try. */
  readonly retryPausesMs?: readonly number[];
}

export class SearchClient implements SearchService {
  readonly #base: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #timeoutMs: number;
  readonly #pausesMs: readonly number[];

  /** `baseUrl` is the service's, e.g. `http://127.0.0.1:8010`. */
  constructor(baseUrl: string, options: SearchClientOptions = {}) {
    this.#base = baseUrl.replace(/\/+$/, '');
    this.#headers = options.apiKey === undefined ? {} : { 'X-API-Key': options.apiKey };
    this.#timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
    this.#pausesMs = options.retryPausesMs ?? RETRY_PAUSES_MS;
  }

  async createIndex(name: string): Promise<IndexInfo> {
    return (await this.#send('POST', '/indexes', { name })) as IndexInfo;
  }

  async listIndexes(): Promise<IndexInfo[]> {
    return (await this.#send('GET', '/indexes')) as IndexInfo[];
  }

  async getIndex(name: string): Promise<IndexInfo> {
    return (await this.#send('GET', path('indexes', name))) as IndexInfo;
  }

  async deleteIndex(name: string): Promise<void> {
    await this.#send('DELETE', path('indexes', name));
  }

  async addAssets(index: string, entries: readonly Entry[]): Promise<AddResult[]> {
    // Sending the same entries twice leaves the index as sending them once.
    return (await this.#send('POST', path('indexes', index, 'assets'), entries)) as AddResult[];
  }

  async getAsset(index: string, isccId: string): Promise<Entry> {
    return (await this.#send('GET', path('indexes', index, 'assets', isccId))) as Entry;
  }

  async deleteAsset(index: string, isccId: string): Promise<void> {
    await this.#send('DELETE', path('indexes', index, 'assets', isccId));
  }

  async search(index: string, query: Query, limit?: number): Promise<SearchResult> {
    const suffix = limit === undefined ? '' : `?limit=${limit}`;
    return (await this.#send('POST', path('indexes', index, 'search') + suffix, query)) as SearchResult;
  }

  async close(): Promise<void> {}

  async #send(method: string, target: string, body?: unknown): Promise<unknown> {
    for (const pauseMs of this.#pausesMs) {
      try {
        const response = await this.#fetch(method, target, body);
        if (response.status !== BUSY) return await read(response);
        await response.body?.cancel();
      } catch (error) {
        if (error instanceof SearchFailed) throw error;
      }
      await sleep(pauseMs);
    }
    return read(await this.#fetch(method, target, body));
  }

  async #fetch(method: string, target: string, body: unknown): Promise<Response> {
    return fetch(this.#base + target, {
      method,
      headers: body === undefined ? this.#headers : { ...this.#headers, 'Content-Type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(this.#timeoutMs),
    });
  }
}

function path(...segments: readonly string[]): string {
  return segments.map((segment) => `/${encodeURIComponent(segment)}`).join('');
}

async function read(response: Response): Promise<unknown> {
  const text = await response.text();
  if (!response.ok) throw new SearchFailed(response.status, detail(text));
  return text === '' ? undefined : JSON.parse(text);
}

/** The `detail` of an error body; the whole text of what is not such a body. */
function detail(text: string): unknown {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === 'object' && body !== null && 'detail' in body) return body.detail;
  } catch {
    // A proxy may answer in its own words.
  }
  return text;
}
