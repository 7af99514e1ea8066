/** What a validation of a stored manifest changes in its row. A changed verdict is an entry of the audit log. */
import type { Transaction } from 'kysely';
import { recordAudit, STORE_ITSELF } from '../../../storage/database/audit.js';
import { fillCatalogue } from '../../../storage/database/catalogue.js';
import type { Tables } from '../../../storage/database/tables.js';
import { lockFeed, recordChanges } from '../feed.js';
import type { AcceptedManifest } from '../validation/validator.js';
import {
  addToCounts,
  countBindings,
  insertBindings,
  removeBindings,
  searchableUnits,
} from './binding-rows.js';
import type { Commits } from './commits.js';

/**
 * Version of the rules by which bindings are indexed. A change of the rules increments it, and the next start indexes
 * older manifests again. 1: text values have two readings. 2: update manifests have the bindings of their parents, and
 * facts about the signer are kept. 3: lists of numbers are values. 4: values of algorithms that are not on the list are found.
 */
export const INDEX_VERSION = 4;

/** Columns of a manifest that depend on its validation. */
export function reportColumns(report: AcceptedManifest) {
  const { trusted, bindings, unlisted, summary, certificateExpires, ocspExpires } = report;
  const ends = [certificateExpires, ocspExpires].map((seconds = 0) => seconds * 1000);
  // What has ended already was decided for good.
  const expires = Math.min(...ends.filter((end) => end > Date.now()));
  return {
    trusted: trusted ? (1 as const) : (0 as const),
    unknown_algorithms: unlisted.length === 0 ? null : JSON.stringify(unlisted),
    certificate_expires: trusted && Number.isFinite(expires) ? expires : null,
    summary: summary === '' ? null : summary,
    binding_count: bindings.filter(({ alternate }) => !alternate).length,
    unit_count: searchableUnits(bindings).size,
    index_version: INDEX_VERSION,
  };
}

/** Replaces what a validation found of a live manifest; does nothing if it was deleted in the meantime. */
export function replaceReport(commits: Commits, key: number, report: AcceptedManifest): Promise<void> {
  const { bindings, trusted } = report;
  return commits.run(async (transaction) => {
    const sequence = await lockFeed(transaction);
    const earlier = await judged(transaction, key);
    if (earlier === undefined) return;
    await transaction.updateTable('manifests').set(reportColumns(report)).where('key', '=', key).execute();
    await fillCatalogue(transaction, [key]);
    await removeBindings(transaction, [key], 'in-file');
    await insertBindings(transaction, key, bindings);
    await addToCounts(transaction, bindings);
    await countBindings(transaction, key);
    await recordChanges(transaction, sequence, [key], 1);
    await recordVerdict(transaction, earlier, { trusted });
  });
}

/**
 * Marks a manifest as indexed by the current rules, without a change of its bindings.
 *
 * @param code why it is no longer valid; `undefined` if that is unknown
 */
export function keepReport(commits: Commits, key: number, code?: string): Promise<void> {
  return commits.run(async (transaction) => {
    const sequence = await lockFeed(transaction);
    const earlier = await judged(transaction, key);
    if (earlier === undefined) return;
    await transaction
      .updateTable('manifests')
      .set({ index_version: INDEX_VERSION, ...(code !== undefined && { trusted: 0 }) })
      .where('key', '=', key)
      .execute();
    await recordChanges(transaction, sequence, [key], 1);
    if (code !== undefined) await recordVerdict(transaction, earlier, { trusted: false, code });
  });
}

interface Judged {
  readonly manifest_id: string;
  readonly trusted: number;
}

/** The verdict so far; `undefined` if the manifest is not live. The lock of the feed keeps it until the commit. */
function judged(transaction: Transaction<Tables>, key: number): Promise<Judged | undefined> {
  return transaction
    .selectFrom('manifests')
    .select(['manifest_id', 'trusted'])
    .where('key', '=', key)
    .where('live', '=', 1)
    .executeTakeFirst();
}

/** Records whether the signer is trusted, if that has changed. */
async function recordVerdict(
  transaction: Transaction<Tables>,
  { manifest_id: subject, trusted }: Judged,
  after: { readonly trusted: boolean; readonly code?: string },
): Promise<void> {
  const before = { trusted: trusted === 1 };
  if (before.trusted === after.trusted) return;
  await recordAudit(transaction, STORE_ITSELF, [{ action: 'manifest-rejudged', subject, before, after }]);
}
