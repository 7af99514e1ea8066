/** Turns rows of manifests into tombstones, in the transactions of deletes and displacements. */
import { sql, type Transaction } from 'kysely';
import { type Actor, type AuditEntry, recordAudit, STORE_ITSELF } from '../../../storage/database/audit.js';
import type { DeclarationUpdate, ManifestRow, Tables } from '../../../storage/database/tables.js';
import { onTombstone } from '../declarations/on-delete.js';
import { lockFeed, recordChanges } from '../feed.js';
import { appendToLog, loggedAs } from '../log/entries.js';
import type { EventLog } from '../webhooks/events.js';
import { removeBindings } from './binding-rows.js';
import { forgetContent, keepBindings } from './undo.js';

export interface Tombstone {
  readonly key: number;
  readonly sha256: string;
}

export interface Burial {
  readonly now: number;
  /** Number that `lockFeed` returned for all keys. */
  readonly last: number;
  readonly actor: Actor;
  readonly action: 'manifest-deleted' | 'manifest-displaced';
  /** Until when the manifests can be restored; `undefined`: not at all. */
  readonly keptUntil?: number | undefined;
  readonly events: EventLog;
}

/** Turns live manifests into tombstones. */
export async function bury(
  transaction: Transaction<Tables>,
  keys: readonly number[],
  { now, last, actor, action, keptUntil, events }: Burial,
): Promise<Tombstone[]> {
  const tombstones = await transaction
    .updateTable('manifests')
    .set({ live: 0, deleted_at: now, kept_until: keptUntil ?? null, binding_count: 0, unit_count: 0 })
    .where('key', 'in', keys)
    .where('live', '=', 1)
    .returning(['key', 'sha256', 'manifest_id', 'size'])
    .execute();
  if (tombstones.length === 0) return [];
  const deleted = tombstones.map(({ key }) => key);
  const urls = await updateDeclarations(transaction, deleted, now);
  await recordChanges(transaction, last, deleted, 0);
  await (keptUntil === undefined ? forgetContent(transaction, deleted) : keepBindings(transaction, deleted));
  await removeBindings(transaction, deleted);
  const act = action === 'manifest-deleted' ? 'deleted' : 'displaced';
  await appendToLog(transaction, tombstones.map(loggedAs(act, now)));
  const entries = tombstones.map((row) => deletion(row, action));
  await recordAudit(transaction, actor, entries);
  const restorableUntil = keptUntil === undefined ? null : new Date(keptUntil).toISOString();
  await events.record(
    transaction,
    tombstones.map(({ key, manifest_id: manifestId, sha256 }) => ({
      type: 'manifest.deleted',
      data: { manifestId, manifestUrl: urls.get(key) ?? '', sha256, reason: act, restorableUntil },
    })),
  );
  return tombstones;
}

/**
 * Turns a live manifest into a tombstone that no longer has its id. The suffix is part of no valid id.
 *
 * @returns `false` if the manifest is not live
 */
export async function displace(
  transaction: Transaction<Tables>,
  key: number,
  now: number,
  events: EventLog,
): Promise<boolean> {
  const last = await lockFeed(transaction);
  const burial = { now, last, actor: STORE_ITSELF, action: 'manifest-displaced', events } as const;
  const [tombstone] = await bury(transaction, [key], burial);
  if (tombstone === undefined) return false;
  await transaction
    .updateTable('manifests')
    .set({ manifest_id: sql`manifest_id || ${`\t(displaced ${key})`}` })
    .where('key', '=', key)
    .execute();
  return true;
}

function deletion(
  row: Pick<ManifestRow, 'manifest_id' | 'sha256' | 'size'>,
  action: 'manifest-deleted' | 'manifest-displaced',
): AuditEntry {
  const before = { state: 'live', sha256: row.sha256, size: row.size };
  return { action, subject: row.manifest_id, before, after: { state: 'deleted' } };
}

/** Returns the addresses of the manifests by key. */
async function updateDeclarations(
  transaction: Transaction<Tables>,
  keys: readonly number[],
  now: number,
): Promise<Map<number | null, string>> {
  // This update locks the rows, so they can't change between the decision and the second update.
  const rows = await transaction
    .updateTable('declarations')
    .set({ live: 0, updated_at: now })
    .where('manifest_key', 'in', keys)
    .returningAll()
    .execute();
  // One statement per distinct change: there are many declarations, but few different changes.
  const groups = new Map<string, { change: DeclarationUpdate; keys: number[] }>();
  for (const row of rows) {
    const change = onTombstone(row);
    if (Object.keys(change).length === 0) continue;
    const group = groups.get(JSON.stringify(change)) ?? { change, keys: [] };
    group.keys.push(row.key);
    groups.set(JSON.stringify(change), group);
  }
  for (const { change, keys } of groups.values()) {
    await transaction.updateTable('declarations').set(change).where('key', 'in', keys).execute();
  }
  return new Map(rows.map(({ manifest_key, gateway }) => [manifest_key, gateway]));
}

/** Audit entry of a tombstone whose id is freed. */
export function freedId(row: Pick<ManifestRow, 'manifest_id' | 'deleted_at'>): AuditEntry {
  const before = { state: 'deleted', deletedAt: row.deleted_at };
  return { action: 'manifest-released', subject: row.manifest_id, before };
}
