/** Imports entries into an index from any source: files today, hub logs later. */
import type { Entry, SearchApi } from '../../client/search-api.js';

/** Entries per request. */
const BATCH_ENTRIES = 1000;

/** One piece of a source. */
export interface ImportStep {
  /** Entries to add; each replaces the asset with its ISCC-ID. */
  readonly entries: readonly Entry[];
  /** ISCC-IDs to delete. */
  readonly withdrawn?: readonly string[];
  /** For endless sources: where to resume after this step is in the index. */
  readonly position?: string;
}

/** A port: a source of entries. */
export interface ImportSource {
  steps(): AsyncIterable<ImportStep>;
}

export interface ImportCount {
  created: number;
  updated: number;
  withdrawn: number;
}

/**
 * Applies the steps of a source to an index, in order. Steps are idempotent, so a source can resume at the last
 * position that `onStep` received.
 *
 * @param onStep called after each step, once the step is durable
 */
export async function importFrom(
  source: ImportSource,
  search: SearchApi,
  index: string,
  onStep: (step: ImportStep) => void | Promise<void> = () => {},
): Promise<ImportCount> {
  const count: ImportCount = { created: 0, updated: 0, withdrawn: 0 };
  for await (const step of source.steps()) {
    for (let start = 0; start < step.entries.length; start += BATCH_ENTRIES) {
      const batch = step.entries.slice(start, start + BATCH_ENTRIES);
      for (const { status } of await search.addAssets(index, batch)) count[status] += 1;
    }
    for (const isccId of step.withdrawn ?? []) {
      await search.deleteAsset(index, isccId);
      count.withdrawn += 1;
    }
    await onStep(step);
  }
  return count;
}
