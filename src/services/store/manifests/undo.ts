/**
 * Undo of deletes. Until a time in its row, a tombstone has its bytes and its bindings, and can be restored. Its bytes
 * leave the folder after that time, when no other manifest has them.
 */
import type { Transaction } from 'kysely';
import { type Actor, recordAudit } from '../../../storage/database/audit.js';
import { parseSummary } from '../../../storage/database/catalogue.js';
import type { BindingRow, Db, ManifestRow, Tables } from '../../../storage/database/tables.js';
import { restoreDeclaration } from '../declarations/on-restore.js';
import type { DeclarationTarget } from '../declarer.js';
import { recordChanges } from '../feed.js';
import { appendToLog, loggedAs } from '../log/entries.js';
import type { EventLog, StoreEvent } from '../webhooks/events.js';
import { addToCounts, unitsInRows } from './binding-rows.js';

const BINDING_COLUMNS = ['manifest_key', 'ordinal', 'alg', 'value', 'units', 'alternate', 'added'] as const;

/** Copies the bindings of manifests that are about to be deleted. */
export async function keepBindings(transaction: Transaction<Tables>, keys: readonly number[]): Promise<void> {
  await copyBindings(transaction, 'bindings', 'kept_bindings', keys);
}

/** Removes from tombstones what shows or finds the content. */
export async function forgetContent(
  transaction: Transaction<Tables>,
  keys: readonly number[],
): Promise<void> {
  if (keys.length === 0) return;
  await transaction.deleteFrom('kept_bindings').where('manifest_key', 'in', keys).execute();
  const rows = await transaction
    .selectFrom('manifests')
    .select(['key', 'summary'])
    .where('key', 'in', keys)
    .where('summary', 'like', '%"thumbnail":%')
    .execute();
  for (const { key, summary } of rows) {
    const { thumbnail: _, ...rest } = parseSummary(summary);
    await transaction
      .updateTable('manifests')
      .set({ summary: JSON.stringify(rest) })
      .where('key', '=', key)
      .execute();
  }
}

export interface Restore {
  readonly now: number;
  /** Number that `lockFeed` returned for all keys. */
  readonly last: number;
  readonly actor: Actor;
  /** Where this store declares; `undefined` if it does not. */
  readonly target: DeclarationTarget | undefined;
  readonly hasFile: (sha256: string) => Promise<boolean>;
  readonly events: EventLog;
}

/**
 * Makes tombstones live again. Those whose time is over, whose file is missing or whose id another manifest took are
 * skipped. Their validation is repeated soon: trust may have ended while they were deleted.
 *
 * @returns the keys of the restored manifests
 */
export async function restoreKept(
  transaction: Transaction<Tables>,
  keys: readonly number[],
  { now, last, actor, target, hasFile, events }: Restore,
): Promise<number[]> {
  const rows = await transaction
    .selectFrom('manifests')
    .select(['key', 'manifest_id', 'sha256', 'size', 'deleted_at', 'trusted', 'publisher'])
    .where('key', 'in', keys)
    .where('live', '=', 0)
    .where('displaced_by', 'is', null)
    .where('kept_until', '>', now)
    .execute();
  const present = await Promise.all(rows.map(({ sha256 }) => hasFile(sha256)));
  const found = rows.filter((_, at) => present[at]);
  if (found.length === 0) return [];
  const restored = found.map(({ key }) => key);
  const bindings = await copyBindings(transaction, 'kept_bindings', 'bindings', restored);
  await transaction.deleteFrom('kept_bindings').where('manifest_key', 'in', restored).execute();
  await addToCounts(transaction, bindings);
  for (const { key } of found) {
    const own = bindings.filter(({ manifest_key }) => manifest_key === key);
    await transaction.updateTable('manifests').set(revived(own, now)).where('key', '=', key).execute();
  }
  const urls = await restoreDeclarations(transaction, found, now, target);
  await recordChanges(transaction, last, restored, 1);
  await appendToLog(transaction, found.map(loggedAs('restored', now)));
  await recordAudit(transaction, actor, found.map(restoration));
  await events.record(
    transaction,
    found.map((row) => restoredEvent(row, urls.get(row.key) ?? '')),
  );
  return restored;
}

/** Ends the undo of these tombstones now. */
export async function abandonUndo(transaction: Transaction<Tables>, keys: readonly number[]): Promise<void> {
  await transaction
    .updateTable('manifests')
    .set({ kept_until: null })
    .where('key', 'in', keys)
    .where('live', '=', 0)
    .execute();
  await forgetContent(transaction, keys);
}

/** Tombstones per transaction: a statement has at most 32,766 parameters. */
const ENDED_MAX = 500;

/**
 * Ends the undo of tombstones whose time is over. Resolves to their number.
 *
 * @param undoMs present limit; a longer time that an earlier setting gave is shortened to it
 */
export async function endUndo(db: Db, now: number, undoMs: number): Promise<number> {
  for (let ended = 0; ; ) {
    const more = await db.transaction().execute((transaction) => endSome(transaction, now, undoMs));
    ended += more;
    if (more < ENDED_MAX) return ended;
  }
}

/** Up to {@link ENDED_MAX}. */
async function endSome(transaction: Transaction<Tables>, now: number, undoMs: number): Promise<number> {
  const ended = await transaction
    .updateTable('manifests')
    .set({ kept_until: null })
    .where('key', 'in', (query) =>
      query
        .selectFrom('manifests')
        .select('key')
        .where('live', '=', 0)
        .where('kept_until', 'is not', null)
        .where((where) => where.or([where('kept_until', '<=', now), where('deleted_at', '<=', now - undoMs)]))
        .limit(ENDED_MAX),
    )
    .returning('key')
    .execute();
  await forgetContent(
    transaction,
    ended.map(({ key }) => key),
  );
  return ended.length;
}

function revived(bindings: readonly BindingRow[], now: number) {
  return {
    live: 1 as const,
    deleted_at: null,
    kept_until: null,
    restored_at: now,
    binding_count: bindings.filter(({ alternate }) => alternate === 0).length,
    unit_count: unitsInRows(bindings).size,
    // Validate it again.
    index_version: 0,
  };
}

/** Returns the addresses of the manifests by key. */
async function restoreDeclarations(
  transaction: Transaction<Tables>,
  manifests: readonly Pick<ManifestRow, 'key'>[],
  now: number,
  target: DeclarationTarget | undefined,
): Promise<Map<number | null, string>> {
  // This update locks the rows, so that no attempt changes them in between.
  const rows = await transaction
    .updateTable('declarations')
    .set({ updated_at: now })
    .where(
      'manifest_key',
      'in',
      manifests.map(({ key }) => key),
    )
    .returningAll()
    .execute();
  for (const row of rows) await restoreDeclaration(transaction, row, { now, target });
  return new Map(rows.map(({ manifest_key, gateway }) => [manifest_key, gateway]));
}

type RestoredRow = Pick<ManifestRow, 'manifest_id' | 'sha256' | 'size' | 'trusted' | 'publisher'>;

function restoredEvent(row: RestoredRow, manifestUrl: string): StoreEvent {
  const { manifest_id: manifestId, sha256, size, trusted, publisher } = row;
  const data = { manifestId, manifestUrl, sha256, size, trusted: trusted === 1, publisher, restored: true };
  return { type: 'manifest.stored', data };
}

function restoration(row: Pick<ManifestRow, 'manifest_id' | 'deleted_at' | 'sha256' | 'size'>) {
  return {
    action: 'manifest-restored',
    subject: row.manifest_id,
    before: { state: 'deleted', deletedAt: row.deleted_at },
    after: { state: 'live', sha256: row.sha256, size: row.size },
  } as const;
}

async function copyBindings(
  transaction: Transaction<Tables>,
  from: 'bindings' | 'kept_bindings',
  to: 'bindings' | 'kept_bindings',
  keys: readonly number[],
): Promise<BindingRow[]> {
  await transaction
    .insertInto(to)
    .columns([...BINDING_COLUMNS])
    .expression((source) =>
      source
        .selectFrom(from)
        .select([...BINDING_COLUMNS])
        .where('manifest_key', 'in', keys),
    )
    .execute();
  return transaction.selectFrom(from).selectAll().where('manifest_key', 'in', keys).execute();
}
