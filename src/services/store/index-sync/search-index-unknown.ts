/**
 * Entries of a similarity index for manifests of this store that its ledger does not have. A database that was restored to an
 * earlier state leaves them: the index then has manifests from a history that is lost.
 */
import { manifestIdIn, manifestUrl } from '../../../c2pa/manifest-url.js';
import { LISTED_MAX, type ListedManifest, type ManifestIndex } from '../../../c2pa/search-index-port.js';
import { canonicalIsccId } from '../../../iscc/iscc-id.js';
import type { Db } from '../../../storage/database/tables.js';
import * as rows from './search-index-sync-rows.js';

/** Pages to look for unknown entries at the start: others may have added theirs to the index. */
const AHEAD_PAGES_MAX = 20;

export interface UnknownEntriesOptions {
  readonly db: Db;
  readonly index: ManifestIndex;
  readonly indexId: string;
  /** Public address of the store. */
  readonly url: string;
}

/** Whether the index has manifests of this store that are newer than those in the ledger, and not in the ledger. */
export async function isAhead(options: UnknownEntriesOptions): Promise<boolean> {
  const { db, indexId } = options;
  const [newest] = await rows.newestSynced(db, indexId, 1);
  let pages = 0;
  for await (const unknown of unknownEntries(options, newest)) {
    if (unknown.length > 0) return true;
    pages += 1;
    if (pages === AHEAD_PAGES_MAX) return false;
  }
  return false;
}

/**
 * Removes the entries of this store's manifests that the ledger does not have.
 *
 * @param renew called before each page
 * @returns their number
 */
export async function removeUnknown(
  options: UnknownEntriesOptions,
  renew: () => Promise<void>,
): Promise<number> {
  let removed = 0;
  for await (const unknown of unknownEntries(options)) {
    await renew();
    for (const isccId of unknown) await options.index.remove(isccId);
    removed += unknown.length;
  }
  return removed;
}

/** ISCC-IDs of unknown entries, one list per page of the index. Nothing if the search service cannot list its assets. */
async function* unknownEntries(
  { db, index, url }: UnknownEntriesOptions,
  start?: string,
): AsyncGenerator<readonly string[]> {
  const prefix = manifestUrl(url, '');
  for (let after = start; ; ) {
    const page = await index.list(after, LISTED_MAX);
    if (page === undefined) return;
    // The ledger is read after the index: an entry is written to them before it is added.
    yield await unknownOf(
      db,
      page.manifests.filter(({ gateway }) => gateway?.startsWith(prefix)),
    );
    if (page.next === undefined) return;
    after = page.next;
  }
}

async function unknownOf(db: Db, listed: readonly ListedManifest[]): Promise<readonly string[]> {
  const named = listed.flatMap(({ isccId, gateway = '' }) => {
    const manifestId = manifestIdIn(gateway);
    return manifestId === undefined ? [] : [{ isccId, manifestId }];
  });
  if (named.length === 0) return [];
  const known = await rows.trackedOf(
    db,
    named.map(({ manifestId }) => manifestId),
  );
  return named
    .filter(
      ({ isccId, manifestId }) =>
        !known.get(manifestId)?.map(canonicalIsccId).includes(canonicalIsccId(isccId)),
    )
    .map(({ isccId }) => isccId);
}
