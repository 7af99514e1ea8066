/** The use cases: thin, because the engine reads and writes JSON itself. */
import { access } from 'node:fs/promises';
import type { native } from '../native.js';
import { Invalid } from './errors.js';

/** The engine's face in the addon. */
export type Engine = Awaited<ReturnType<typeof native.openSearchEngine>>;

/** Status and JSON body, as the engine gives them. */
export type Answer = Awaited<ReturnType<Engine['listIndexes']>>;

/** What a body of another type than JSON looks like to the schema: text where structure was expected. */
const NOT_STRUCTURED = {
  object: {
    type: 'model_attributes_type',
    msg: 'Input should be a valid dictionary or object to extract fields from',
  },
  list: { type: 'list_type', msg: 'Input should be a valid list' },
} as const;

export const LIMIT_DEFAULT = 100;

export class SearchService {
  readonly #engine: Engine;
  readonly #folder: string | undefined;
  /** When, and how long, a search last kept the event loop: at least as long it has for others, before it may again. */
  #blockedUntil = 0;
  #blockedMs = 0;

  /** `folder` is where the indexes are, if they are stored. */
  constructor(engine: Engine, folder?: string) {
    this.#engine = engine;
    this.#folder = folder;
  }

  create(body: Uint8Array, contentType: string | undefined): Promise<Answer> {
    return this.#engine.createIndex(jsonBody(body, contentType, 'object'));
  }

  list(): Promise<Answer> {
    return this.#engine.listIndexes();
  }

  get(name: string): Promise<Answer> {
    return this.#engine.getIndex(name);
  }

  delete(name: string): Promise<Answer> {
    return this.#engine.deleteIndex(name);
  }

  add(name: string, body: Uint8Array, contentType: string | undefined): Promise<Answer> {
    return this.#engine.addAssets(name, jsonBody(body, contentType, 'list'));
  }

  asset(name: string, isccId: string): Promise<Answer> {
    return this.#engine.getAsset(name, isccId);
  }

  deleteAsset(name: string, isccId: string): Promise<Answer> {
    return this.#engine.deleteAsset(name, isccId);
  }

  search(name: string, body: Uint8Array, contentType: string | undefined, limit: unknown): Promise<Answer> {
    const query = jsonBody(body, contentType, 'object');
    const start = performance.now();
    const mayBlock = start - this.#blockedUntil >= this.#blockedMs;
    const answer = this.#engine.search(name, query, parseLimit(limit), mayBlock);
    if (mayBlock) {
      this.#blockedUntil = performance.now();
      this.#blockedMs = this.#blockedUntil - start;
    }
    return answer;
  }

  searchCode(name: string, isccCode: string | undefined, limit: unknown): Promise<Answer> {
    if (isccCode === undefined) {
      throw new Invalid({ type: 'missing', loc: ['query', 'iscc_code'], msg: 'Field required', input: null });
    }
    return this.#engine.searchCode(name, isccCode, parseLimit(limit));
  }

  /** Why the service can't work, for `/readyz`. */
  async readiness(): Promise<string | undefined> {
    // A look at the folder, not at its indexes: there may be many, and probes come every second.
    if (this.#folder === undefined) return undefined;
    return access(this.#folder).then(
      () => undefined,
      () => 'list_indexes_failed',
    );
  }

  close(): Promise<void> {
    return this.#engine.close();
  }
}

/** The body, if there is one and its type says JSON. Without a type it is taken for JSON. */
function jsonBody(
  body: Uint8Array,
  contentType: string | undefined,
  expected: keyof typeof NOT_STRUCTURED,
): Uint8Array {
  const loc = ['body'];
  if (body.byteLength === 0) throw new Invalid({ type: 'missing', loc, msg: 'Field required', input: null });
  if (contentType === undefined || /^application\/([\w.-]+\+)?json\s*(;|$)/i.test(contentType)) return body;
  throw new Invalid({ ...NOT_STRUCTURED[expected], loc, input: Buffer.from(body).toString() });
}

/** Whole numbers as the reference reads them. What is beyond any number of matches is left to the engine's bounds. */
function parseLimit(limit: unknown): number {
  if (limit === undefined) return LIMIT_DEFAULT;
  const text = String(limit).trim();
  if (/^[+-]?\d+$/.test(text)) return Math.min(Math.max(Number(text), -1), Number.MAX_SAFE_INTEGER);
  throw new Invalid({
    type: 'int_parsing',
    loc: ['query', 'limit'],
    msg: 'Input should be a valid integer, unable to parse string as an integer',
    input: limit,
  });
}
