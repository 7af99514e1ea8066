/**
 * Use cases. They return the engine's JSON unchanged, because it is the JSON of the response. `errors.ts` turns errors
 * of the engine into responses.
 */
import { isLines, withoutByteOrderMark } from '../../http/request/streamed.js';
import type { Readiness } from '../../http/routing/service.js';
import { type AssetPage, native, type SearchFound } from '../../native.js';
import type { Engine, EngineProblem } from './engine/port.js';
import { Invalid } from './errors.js';
import { InlineBudget } from './inline-budget.js';
import { ECHO_BYTES_MAX } from './issues.js';
import type { SearchParameters } from './selection.js';
import { searchAll } from './several.js';
import { addLines, type LinesOptions } from './transfer/add-lines.js';

/** The reference reads a body that is not JSON as text and reports what its schema expected instead. */
const NOT_STRUCTURED = {
  object: {
    type: 'model_attributes_type',
    msg: 'Input should be a valid dictionary or object to extract fields from',
  },
  list: { type: 'list_type', msg: 'Input should be a valid list' },
} as const;

/** Which assets to list. */
export interface Listing {
  /** ISCC-ID to continue after. */
  readonly after: string | undefined;
  readonly limit: number;
  /** Conditions on metadata. */
  readonly filters: readonly string[] | undefined;
  readonly asLines: boolean;
}

/** Assets that are read at a time for a response with all of them. */
const PAGE_ASSETS = 1000;

/** The description of an index that cannot be used. */
interface Unavailable {
  readonly name: string;
  readonly assets: number;
  readonly state: 'loading' | 'damaged';
  readonly progress?: number;
  readonly reason?: string;
}

function readinessOf(
  unavailable: readonly Unavailable[],
  failing: ReadonlyMap<string, string>,
  problem: EngineProblem | undefined,
): Readiness {
  if (unavailable.length === 0 && failing.size === 0 && problem === undefined) return undefined;
  const loading = unavailable.filter(({ state }) => state === 'loading');
  const damaged = unavailable.filter(({ state }) => state === 'damaged');
  const details = {
    ...(loading.length > 0 && {
      loading: Object.fromEntries(loading.map(({ name, progress = 0 }) => [name, progress])),
    }),
    ...(damaged.length > 0 && {
      damaged: Object.fromEntries(damaged.map(({ name, reason = '' }) => [name, reason])),
    }),
    ...(failing.size > 0 && { failing: Object.fromEntries(failing) }),
    ...(problem !== undefined && { database: problem.reason }),
  };
  const closed = problem?.isServing === false ? problem.reason : undefined;
  return { reason: loading.length > 0 ? 'index_not_initialized' : closed, details };
}

export class SearchService {
  readonly #engine: Engine;
  readonly #hasFolder: () => Promise<boolean>;
  readonly #failing: ReadonlyMap<string, string>;
  readonly #inlineBudget = new InlineBudget();

  /**
   * @param hasFolder whether the folder of the indexes is present, if they have one
   * @param failing indexes that could not be written last, with the reason
   */
  constructor(
    engine: Engine,
    hasFolder = async () => true,
    failing: ReadonlyMap<string, string> = new Map(),
  ) {
    this.#engine = engine;
    this.#hasFolder = hasFolder;
    this.#failing = failing;
  }

  create(body: Uint8Array, contentType: string | undefined): Promise<Buffer> {
    return this.#engine.createIndex(jsonBody(body, contentType, 'object'));
  }

  list(): Promise<Buffer> {
    return this.#engine.listIndexes();
  }

  /** Counts for metrics, as JSON. */
  counts(): Buffer {
    return this.#engine.metrics();
  }

  /** Names of the indexes whose last write failed. */
  failing(): readonly string[] {
    return [...this.#failing.keys()];
  }

  get(name: string): Promise<Buffer> {
    return this.#engine.getIndex(name);
  }

  rename(name: string, body: Uint8Array, contentType: string | undefined): Promise<Buffer> {
    return this.#engine.renameIndex(name, jsonBody(body, contentType, 'object'));
  }

  putAlias(name: string, body: Uint8Array, contentType: string | undefined): Promise<Buffer> {
    return this.#engine.putAlias(name, jsonBody(body, contentType, 'object'));
  }

  aliases(): Buffer {
    return this.#engine.listAliases();
  }

  alias(name: string): Buffer {
    return this.#engine.getAlias(name);
  }

  aliasTarget(name: string): string | undefined {
    return this.#engine.aliasTarget(name) ?? undefined;
  }

  deleteAlias(name: string): Promise<Buffer> {
    return this.#engine.deleteAlias(name);
  }

  delete(name: string): Promise<Buffer> {
    return this.#engine.deleteIndex(name);
  }

  add(name: string, body: Uint8Array, contentType: string | undefined): Promise<Buffer> {
    return this.#engine.addAssets(name, jsonBody(body, contentType, 'list'));
  }

  /**
   * Adds NDJSON while it arrives. Yields one line of JSON per group of lines.
   *
   * @throws if the index does not exist, before the first line
   */
  async addLines(
    name: string,
    bytes: AsyncIterable<Uint8Array>,
    options: LinesOptions,
  ): Promise<AsyncIterable<Buffer | string>> {
    // Routes that read have waited for this already.
    await this.#engine.fresh?.();
    return addLines(this.#engine, await this.#engine.holdIndex(name), bytes, options);
  }

  paths(name: string): Promise<Buffer> {
    return this.#engine.getPaths(name);
  }

  putPaths(name: string, body: Uint8Array, contentType: string | undefined): Promise<Buffer> {
    return this.#engine.putPaths(name, jsonBody(body, contentType, 'object'));
  }

  /** A page of all assets, or of those that meet conditions. */
  assets(name: string, { after, limit, filters, asLines }: Listing): Promise<AssetPage> {
    return this.#engine.listAssets(name, after, limit, asLines, filters && [...filters]);
  }

  /**
   * All assets, or those that meet conditions, as JSON lines.
   *
   * @throws if the index does not exist, before the first line
   */
  async allLines(
    name: string,
    { after, filters }: Pick<Listing, 'after' | 'filters'>,
  ): Promise<AsyncIterable<Buffer>> {
    const index = await this.#engine.holdIndex(name);
    const read = (after: string | undefined) =>
      this.assets(index, { after, limit: PAGE_ASSETS, filters, asLines: true });
    const first = await read(after);
    return (async function* () {
      yield first.entries;
      for (let { next } = first; next !== undefined; ) {
        const page = await read(next);
        yield page.entries;
        next = page.next;
      }
    })();
  }

  /** Deletes the assets of a JSON array of ISCC-IDs. */
  deleteAssets(name: string, body: Uint8Array, contentType: string | undefined): Promise<Buffer> {
    return this.#engine.deleteAssets(name, jsonBody(body, contentType, 'list'));
  }

  /** @param fields members of the metadata; default: all */
  asset(name: string, isccId: string, fields?: string[]): Promise<Buffer> {
    return this.#engine.getAsset(name, isccId, fields);
  }

  deleteAsset(name: string, isccId: string): Promise<Buffer> {
    return this.#engine.deleteAsset(name, isccId);
  }

  search(
    name: string,
    body: Uint8Array,
    contentType: string | undefined,
    parameters: SearchParameters,
  ): Promise<SearchFound> {
    const query = jsonBody(body, contentType, 'object');
    return this.#inlineBudget.run((mayBlock) => this.#engine.search(name, query, parameters, mayBlock));
  }

  searchCode(name: string, isccCode: string, parameters: SearchParameters): Promise<SearchFound> {
    return this.#engine.searchCode(name, isccCode, parameters);
  }

  /**
   * One result per query of a JSON array or NDJSON, in order; an error in place of a result.
   *
   * @throws if the body is not a list or the index does not exist, before the first result
   */
  async searchSeveral(
    name: string,
    body: Uint8Array,
    contentType: string | undefined,
    parameters: SearchParameters & { readonly signal: AbortSignal },
  ): Promise<AsyncIterable<Buffer>> {
    const asLines = isLines(contentType);
    const list = asLines ? withoutByteOrderMark(body) : jsonBody(body, contentType, 'list');
    const queries = await native.splitQueries(list, asLines);
    return searchAll(this.#engine, await this.#engine.holdIndex(name), queries, parameters);
  }

  /**
   * For `/readyz`: not ready while indexes are being loaded. An index that is damaged, or whose last write failed, is
   * named, but does not hold up the others.
   */
  async readiness(): Promise<Readiness> {
    // Checks the folder, not the indexes in it: there may be many, and probes arrive every second.
    if (!(await this.#hasFolder())) return 'list_indexes_failed';
    const unavailable = JSON.parse(this.#engine.unavailableIndexes().toString()) as Unavailable[];
    return readinessOf(unavailable, this.#failing, this.#engine.problem?.());
  }

  close(): Promise<void> {
    return this.#engine.close();
  }
}

/**
 * The body, if it is JSON by its content type; without a content type it is assumed to be.
 *
 * @throws {Invalid} if the body is empty or of another type
 */
function jsonBody(
  body: Uint8Array,
  contentType: string | undefined,
  expected: keyof typeof NOT_STRUCTURED,
): Uint8Array {
  const loc = ['body'];
  if (body.byteLength === 0) throw new Invalid({ type: 'missing', loc, msg: 'Field required', input: null });
  if (contentType === undefined || /^application\/([\w.-]+\+)?json\s*(;|$)/i.test(contentType)) return body;
  const start = Buffer.from(body.buffer, body.byteOffset, Math.min(body.byteLength, ECHO_BYTES_MAX));
  throw new Invalid({ ...NOT_STRUCTURED[expected], loc, input: start.toString() });
}
