/** The search backend over HTTP: isccd's search service, or any server with its API. */
import { type Dispatcher, errors, Pool } from 'undici';
import { canonicalIsccId } from '../../iscc/iscc-id.js';
import { TRACEPARENT, type Trace, traceparent } from '../../platform/observe/trace.js';
import { present } from '../../platform/present.js';
import { DeclaredManifests } from './declared-manifests.js';
import { parseGateway, parseHits, parseUnits } from './hits.js';
import { BackendFailed, BackendUnavailable, type Hit, type SearchBackend } from './search-backend.js';

const CONNECTIONS_MAX = 128;
/** Enough for 100 matches with the largest metadata; a longer response is invalid. */
const RESPONSE_BYTES_MAX = 64 * 1024 * 1024;
const NO_ASSET = [400, 404];
/** Other servers with this API need not list assets, or not to this key, or not by a condition. */
const NO_LIST = [400, 401, 403, 404, 405, 406, 422];
const LINES_TYPE = 'application/x-ndjson';
/** A proxy or the service itself is overloaded, starting or down. */
const UNAVAILABLE = [502, 503, 504];

export interface HttpBackendOptions {
  /** Base address, without a trailing slash. */
  readonly url: string;
  readonly index: string;
  readonly apiKey: string | undefined;
  readonly timeoutMs: number;
}

interface Query {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: object;
  readonly accept?: string;
  readonly trace?: Trace | undefined;
}

interface Response {
  readonly status: number;
  readonly text: string;
}

export class HttpBackend implements SearchBackend {
  readonly #pool: Pool;
  readonly #base: string;
  readonly #index: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #timeoutMs: number;
  readonly #declared = new DeclaredManifests((...page) => this.#assets(...page));

  constructor({ url, index, apiKey, timeoutMs }: HttpBackendOptions) {
    const { origin, pathname } = new URL(url);
    this.#pool = new Pool(origin, { connections: CONNECTIONS_MAX, connect: { timeout: timeoutMs } });
    this.#base = pathname.replace(/\/+$/, '');
    this.#index = `${this.#base}/indexes/${encodeURIComponent(index)}`;
    this.#headers = { accept: 'application/json', ...(apiKey === undefined ? {} : { 'x-api-key': apiKey }) };
    this.#timeoutMs = timeoutMs;
  }

  async search(units: readonly string[], limit: number, trace?: Trace): Promise<readonly Hit[]> {
    const path = `${this.#index}/search?limit=${limit}`;
    const response = await this.#request({ method: 'POST', path, body: { units }, trace });
    return response.status === 404 ? [] : parseHits(jsonOf(response));
  }

  async gateway(isccId: string, trace?: Trace): Promise<string | undefined> {
    return parseGateway(await this.#asset(isccId, trace));
  }

  async units(isccId: string, trace?: Trace): Promise<readonly string[] | undefined> {
    return parseUnits(await this.#asset(isccId, trace));
  }

  isccIdsOf(manifestId: string): Promise<readonly string[]> {
    return this.#declared.isccIdsOf(manifestId);
  }

  async isReady(): Promise<boolean> {
    const paths = [`${this.#base}/readyz`, this.#index];
    try {
      const responses = await Promise.all(paths.map((path) => this.#request({ method: 'GET', path })));
      return responses.every(({ status }) => status === 200);
    } catch {
      return false;
    }
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
  }

  async #asset(isccId: string, trace: Trace | undefined): Promise<unknown> {
    const get = (id: string) =>
      this.#request({ method: 'GET', path: `${this.#index}/assets/${encodeURIComponent(id)}`, trace });
    let response = await get(isccId);
    const canonical = canonicalIsccId(isccId);
    // Other search services than isccd may have the asset under the form of a hub.
    if (response.status === 400 && canonical !== isccId) response = await get(canonical);
    return NO_ASSET.includes(response.status) ? undefined : jsonOf(response);
  }

  async #assets(after: string | undefined, limit: number, filter?: string): Promise<Buffer | undefined> {
    const query = new URLSearchParams({ limit: String(limit), ...present({ after, filter }) });
    const path = `${this.#index}/assets?${query}`;
    const response = await this.#request({ method: 'GET', path, accept: LINES_TYPE });
    if (NO_LIST.includes(response.status)) return undefined;
    return Buffer.from(successful(response).text);
  }

  /** Sends the query; sends it once more if an idle connection turns out to be closed. */
  async #request(query: Query): Promise<Response> {
    const signal = AbortSignal.timeout(this.#timeoutMs);
    try {
      return await this.#send(query, signal).catch((error) => {
        if (!wasClosed(error)) throw error;
        return this.#send(query, signal);
      });
    } catch (cause) {
      if (cause instanceof BackendFailed) throw cause;
      throw new BackendUnavailable('the search service is unreachable', { cause });
    }
  }

  async #send({ method, path, body, accept, trace }: Query, signal: AbortSignal): Promise<Response> {
    const headers = {
      ...this.#headers,
      ...(accept !== undefined && { accept }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(trace !== undefined && { [TRACEPARENT]: traceparent(trace) }),
    };
    const content = body === undefined ? null : JSON.stringify(body);
    const response = await this.#pool.request({ method, path, headers, body: content, signal });
    return { status: response.statusCode, text: await textOf(response) };
  }
}

function wasClosed(error: unknown): boolean {
  if (error instanceof errors.SocketError) return true;
  return error instanceof Error && 'code' in error && error.code === 'ECONNRESET';
}

async function textOf({ body }: Dispatcher.ResponseData): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > RESPONSE_BYTES_MAX)
      throw new BackendFailed(`the response exceeds ${RESPONSE_BYTES_MAX} bytes`);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** @throws {BackendFailed} if the status is not 200 */
function successful(response: Response): Response {
  const { status } = response;
  if (status === 200) return response;
  const Failure = UNAVAILABLE.includes(status) ? BackendUnavailable : BackendFailed;
  throw new Failure(`the search service returned status ${status}`);
}

/** @throws {BackendFailed} if the status is not 200 or the body is not JSON */
function jsonOf(response: Response): unknown {
  const { text } = successful(response);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new BackendFailed('the response of the search service is not JSON', { cause });
  }
}
