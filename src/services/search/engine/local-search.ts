/** The indexes of this process for the resolver: typed calls, whose failures follow from the codes of the engine. */
import { type LocalSearch, LocalSearchFailed } from '../../../c2pa/local-search.js';
import type { UnitMatch } from '../../../client/search-api.js';
import { isNativeError, type NativeErrorCode } from '../../../native.js';
import { isTransient } from '../errors.js';
import type { Engine } from './port.js';

const NO_INDEX = ['NOT_FOUND'] as const;
/** Also an ISCC-ID that the index can't have, and a condition on a path that it has not declared. */
const NOTHING = ['NOT_FOUND', 'INVALID_ARGUMENT'] as const;

export class EngineSearch implements LocalSearch {
  readonly #engine: Engine;
  readonly #loaded: Promise<void>;

  /** @param loaded calls wait for it */
  constructor(engine: Engine, loaded: Promise<void>) {
    this.#engine = engine;
    this.#loaded = loaded;
  }

  searchUnits(
    index: string,
    units: readonly string[],
    limit: number,
  ): Promise<readonly UnitMatch[] | undefined> {
    return this.#unless(NO_INDEX, (engine) => engine.searchUnits(index, [...units], limit));
  }

  async gateway(index: string, isccId: string): Promise<string | undefined> {
    return (await this.#unless(NOTHING, (engine) => engine.getGateway(index, isccId))) ?? undefined;
  }

  async asset(index: string, isccId: string): Promise<unknown> {
    const found = await this.#unless(NOTHING, (engine) => engine.getAsset(index, isccId));
    return found && JSON.parse(found.toString());
  }

  async assetLines(
    index: string,
    after: string | undefined,
    limit: number,
    condition?: string,
  ): Promise<Uint8Array | undefined> {
    const conditions = condition === undefined ? undefined : [condition];
    const page = await this.#unless(NOTHING, (engine) =>
      engine.listAssets(index, after, limit, true, conditions),
    );
    return page?.entries;
  }

  has(index: string): Promise<true | undefined> {
    return this.#unless(NO_INDEX, async (engine) => {
      await engine.getIndex(index);
      return true as const;
    });
  }

  /** The result; `undefined` if the engine refuses with one of these codes. @throws {LocalSearchFailed} */
  async #unless<T>(
    codes: readonly NativeErrorCode[],
    work: (engine: Engine) => Promise<T>,
  ): Promise<T | undefined> {
    try {
      await this.#loaded;
      await this.#engine.fresh?.();
      return await work(this.#engine);
    } catch (cause) {
      if (isNativeError(cause) && codes.includes(cause.code)) return undefined;
      // A closed engine may be followed by one that is open.
      throw new LocalSearchFailed(isNativeError(cause, 'INVALID_STATE') || isTransient(cause), cause);
    }
  }
}
