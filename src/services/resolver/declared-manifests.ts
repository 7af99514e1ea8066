/**
 * The declarations of an index by the id of the manifest that they point to, for look-ups by id alone. An index with the
 * path of their addresses lists them. Of others, this reads all assets, which are sorted by time: all once an hour, in
 * between new ones.
 */
import { z } from 'zod';
import { manifestIdIn, manifestUrlEnds } from '../../c2pa/manifest-url.js';
import { GATEWAY_PATH } from '../../c2pa/search-index-port.js';
import { compareIsccIds, isIsccId } from '../../iscc/iscc-id.js';
import { monotonicMs } from '../../platform/time-limit.js';
import { parseGateway } from './hits.js';

/** Each page is parsed on the event loop. */
const PAGE_ASSETS = 100;
const ENTRIES_MAX = 200_000;
/** Declarations of one id. Anyone can declare an address that ends with it, so one declaration must not hide the others. */
export const DECLARED_MAX = 25;
/** Clients can ask for any number of unknown ids. */
const PAUSE_MS = 1000;
/** Longest wait of a look-up. What is left is read for the next one. */
const WAIT_MS_MAX = 3000;
/** Some assets get ids that are older than others in the index. */
const REREAD_MS = 3_600_000;

/**
 * Assets as JSON lines, after an ISCC-ID. `undefined` if the index does not exist, or the service cannot list it or not
 * by the condition.
 */
export type AssetPages = (
  after: string | undefined,
  limit: number,
  condition?: string,
) => Promise<Uint8Array | undefined>;

const asset = z.object({ iscc_id: z.string().refine(isIsccId) }).loose();

export class DeclaredManifests {
  readonly #pages: AssetPages;
  readonly #now: () => number;
  readonly #entriesMax: number;
  /** Oldest declarations first, at most {@link DECLARED_MAX}. */
  readonly #isccIds = new Map<string, string[]>();
  #after: string | undefined;
  #rereadAt: number;
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | undefined;

  /** @param now ms of a monotonic clock */
  constructor(pages: AssetPages, now: () => number = monotonicMs, entriesMax: number = ENTRIES_MAX) {
    this.#pages = pages;
    this.#now = now;
    this.#entriesMax = entriesMax;
    this.#rereadAt = now() + REREAD_MS;
  }

  /**
   * ISCC-IDs of the declarations whose address ends in a manifest id, oldest first. The index may have changed since
   * they were read. Rejects like the pages.
   */
  async isccIdsOf(manifestId: string): Promise<readonly string[]> {
    const listed = await this.#listed(manifestId);
    if (listed !== undefined) return listed;
    const known = this.#isccIds.get(manifestId);
    if (known !== undefined) return known;
    await this.#refresh();
    return this.#isccIds.get(manifestId) ?? [];
  }

  /** The declarations by the path of their addresses; `undefined` if the index has no such path. */
  async #listed(manifestId: string): Promise<string[] | undefined> {
    const conditions = manifestUrlEnds(manifestId).map(
      (end) => `${GATEWAY_PATH} ends_with ${JSON.stringify(end)}`,
    );
    const found: string[] = [];
    for (const condition of conditions) {
      const lines = await this.#pages(undefined, DECLARED_MAX, condition);
      if (lines === undefined) return undefined;
      for (const { isccId, manifestId: id } of declarationsIn(lines))
        if (id === manifestId) found.push(isccId);
    }
    return found.sort(compareIsccIds).slice(0, DECLARED_MAX);
  }

  /** Concurrent look-ups share one reading. */
  #refresh(): Promise<void> {
    if (this.#reading === undefined && this.#now() - this.#readAt < PAUSE_MS) return Promise.resolve();
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
      this.#readAt = this.#now();
    });
    return this.#reading;
  }

  async #read(): Promise<void> {
    const end = this.#now() + WAIT_MS_MAX;
    if (this.#now() >= this.#rereadAt) {
      this.#after = undefined;
      this.#rereadAt = this.#now() + REREAD_MS;
    }
    do {
      const lines = await this.#pages(this.#after, PAGE_ASSETS);
      const last = lines && this.#addAll(lines);
      if (last === undefined) return;
      this.#after = last;
    } while (this.#now() < end);
  }

  /** Returns the last ISCC-ID; `undefined` without a valid one. */
  #addAll(lines: Uint8Array): string | undefined {
    let last: string | undefined;
    for (const { isccId, manifestId } of declarationsIn(lines)) {
      last = isccId;
      if (manifestId !== undefined) this.#add(manifestId, isccId);
    }
    return last;
  }

  #add(manifestId: string, isccId: string): void {
    const known = this.#isccIds.get(manifestId);
    if (known === undefined) this.#isccIds.set(manifestId, [isccId]);
    else if (known.length < DECLARED_MAX && !known.includes(isccId)) known.push(isccId);
    if (this.#isccIds.size > this.#entriesMax) this.#isccIds.delete(this.#isccIds.keys().next().value ?? '');
  }
}

/** The assets in JSON lines, and the ids of the manifests that they point to. */
function* declarationsIn(lines: Uint8Array): Iterable<{ isccId: string; manifestId: string | undefined }> {
  for (const line of new TextDecoder().decode(lines).split('\n')) {
    const { data } = asset.safeParse(parsed(line));
    if (data === undefined) continue;
    yield { isccId: data.iscc_id, manifestId: manifestIdIn(parseGateway(data) ?? '') };
  }
}

function parsed(line: string): unknown {
  try {
    return line === '' ? undefined : JSON.parse(line);
  } catch {
    return undefined;
  }
}
