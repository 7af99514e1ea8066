/**
 * Use cases. They return the engine's JSON unchanged, because it is the JSON of the response. `errors.ts` turns errors
 * of the engine into responses.
 */
import { access } from 'node:fs/promises';
import type { native } from '../native.js';
import { Invalid } from './errors.js';
import { InlineBudget } from './inline-budget.js';

/** The engine of the addon. */
export type Engine = Awaited<ReturnType<typeof native.openSearchEngine>>;

/** The reference reads a body that is not JSON as text and reports what its schema expected instead. */
const NOT_STRUCTURED = {
  object: {
    type: 'model_attributes_type',
    msg: 'Input should be a valid dictionary or object to extract fields from',
  },
  list: { type: 'list_type', msg: 'Input should be a valid list' },
} as const;

export class SearchService {
  readonly #engine: Engine;
  readonly #folder: string | undefined;
  readonly #inlineBudget = new InlineBudget();

  /** @param folder of the indexes; `undefined` for `memory://` */
  constructor(engine: Engine, folder?: string) {
    this.#engine = engine;
    this.#folder = folder;
  }

  create(body: Uint8Array, contentType: string | undefined): Promise<Buffer> {
    return this.#engine.createIndex(jsonBody(body, contentType, 'object'));
  }

  list(): Promise<Buffer> {
    return this.#engine.listIndexes();
  }

  get(name: string): Promise<Buffer> {
    return this.#engine.getIndex(name);
  }

  delete(name: string): Promise<Buffer> {
    return this.#engine.deleteIndex(name);
  }

  add(name: string, body: Uint8Array, contentType: string | undefined): Promise<Buffer> {
    return this.#engine.addAssets(name, jsonBody(body, contentType, 'list'));
  }

  asset(name: string, isccId: string): Promise<Buffer> {
    return this.#engine.getAsset(name, isccId);
  }

  deleteAsset(name: string, isccId: string): Promise<Buffer> {
    return this.#engine.deleteAsset(name, isccId);
  }

  /** @param limit any integer; the engine checks its bounds */
  search(name: string, body: Uint8Array, contentType: string | undefined, limit: number): Promise<Buffer> {
    const query = jsonBody(body, contentType, 'object');
    return this.#inlineBudget.run((mayBlock) => this.#engine.search(name, query, limit, mayBlock));
  }

  /** @param limit any integer; the engine checks its bounds */
  searchCode(name: string, isccCode: string, limit: number): Promise<Buffer> {
    return this.#engine.searchCode(name, isccCode, limit);
  }

  /** The reason for `not_ready` in `/readyz`; `undefined` if the service is ready. */
  async readiness(): Promise<string | undefined> {
    // Checks the folder, not the indexes in it: there may be many, and probes arrive every second.
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
  throw new Invalid({ ...NOT_STRUCTURED[expected], loc, input: Buffer.from(body).toString() });
}
