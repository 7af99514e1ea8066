/** Filling an index from somewhere else: files today, the logs of hubs when somebody follows them. */
import type { Entry, SearchService } from './types.js';

/** Entries of one request. */
const BATCH_ENTRIES = 1000;

/** A piece of what a source knows. */
export interface ImportStep {
  /** To be added, or to replace what has their ISCC-ID. */
  readonly entries: readonly Entry[];
  /** ISCC-IDs that are declared no more. */
  readonly withdrawn?: readonly string[];
  /** Where the source may be taken up again once this step is in the index; for sources that never end. */
  readonly position?: string;
}

/** A port: where entries come from. */
export interface ImportSource {
  steps(): AsyncIterable<ImportStep>;
}

export interface ImportCount {
  created: number;
  updated: number;
  withdrawn: number;
}

/**
 * Brings what a source gives into an index, in its order. Doing a step twice leaves the index as doing it once, so
 * that a source is taken up at the last position it was told.
 *
 * @param onStep after each step, when it is durable
 */
export async function importFrom(
  source: ImportSource,
  service: SearchService,
  index: string,
  onStep: (step: ImportStep) => void | Promise<void> = () => {},
): Promise<ImportCount> {
  const count: ImportCount = { created: 0, updated: 0, withdrawn: 0 };
  for await (const step of source.steps()) {
    for (let start = 0; start < step.entries.length; start += BATCH_ENTRIES) {
      const batch = step.entries.slice(start, start + BATCH_ENTRIES);
      for (const { status } of await service.addAssets(index, batch)) count[status] += 1;
    }
    for (const isccId of step.withdrawn ?? []) {
      await service.deleteAsset(index, isccId);
      count.withdrawn += 1;
    }
    await onStep(step);
  }
  return count;
}
