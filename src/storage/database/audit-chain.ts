/**
 * The hash chain of the audit log. The hash of an entry covers its members and the hash of the entry before, and the table
 * `audit_chain` has the number of entries and the last hash, the head. So a changed, added or removed entry shows. An operator who can
 * write to the database can compute a new chain; that shows when its head is compared with one that was noted before.
 */
import { createHash } from 'node:crypto';
import type { Transaction } from 'kysely';
import type { AuditRow, Db, Tables } from './tables.js';

const CHAIN_BATCH = 1000;
/** The hash before the first entry. */
export const NO_HASH = '0'.repeat(64);

export interface AuditHead {
  /** Number of entries. */
  readonly entries: number;
  /** SHA-256 in hex; zeros without entries. */
  readonly hash: string;
}

/** What the hash covers. The key is left out: the database makes it, and the order is covered anyway. */
export type ChainedEntry = Omit<AuditRow, 'key' | 'hash'>;

/** The hash of an entry. The form must never change. */
export function chainedHash(previous: string, entry: ChainedEntry): string {
  const { at, actor_kind, actor, origin, action, subject, state_before, state_after } = entry;
  const members = [Number(at), actor_kind, actor, origin, action, subject, state_before, state_after];
  return createHash('sha256')
    .update(`${previous}\n${JSON.stringify(members)}`)
    .digest('hex');
}

/** Adds hashes to new entries and moves the head. Other transactions with entries wait until this one ends. */
export async function extendChain<T extends ChainedEntry>(
  transaction: Transaction<Tables>,
  entries: readonly T[],
): Promise<(T & { hash: string })[]> {
  const head = await transaction
    .updateTable('audit_chain')
    .set(({ eb }) => ({ entries: eb('entries', '+', entries.length) }))
    .returning('hash')
    .executeTakeFirstOrThrow();
  let { hash } = head;
  const chained = entries.map((entry) => {
    hash = chainedHash(hash, entry);
    return { ...entry, hash };
  });
  await transaction.updateTable('audit_chain').set({ hash }).execute();
  return chained;
}

/** The head as it is stored. */
export async function auditHead(db: Db): Promise<AuditHead> {
  const { entries, hash } = await db.selectFrom('audit_chain').selectAll().executeTakeFirstOrThrow();
  return { entries: Number(entries), hash };
}

/** The chain over all entries, in order. */
export async function* auditChain(db: Db): AsyncGenerator<{
  readonly entry: number;
  readonly key: number;
  readonly hash: string;
  readonly stored: string;
}> {
  let [hash, entry, after] = [NO_HASH, 0, 0];
  for (;;) {
    const rows = await db
      .selectFrom('audit')
      .selectAll()
      .where('key', '>', after)
      .orderBy('key')
      .limit(CHAIN_BATCH)
      .execute();
    for (const row of rows) {
      hash = chainedHash(hash, row);
      entry += 1;
      yield { entry, key: row.key, hash, stored: row.hash };
      // After a fault, the rest of the chain is checked too.
      hash = row.hash ?? hash;
    }
    after = rows.at(-1)?.key ?? after;
    if (rows.length < CHAIN_BATCH) return;
  }
}

/**
 * Checks the chain.
 *
 * @param db a snapshot
 * @param earlier a head that was noted before: the chain must contain it
 */
export async function checkAuditChain(
  db: Db,
  earlier: AuditHead | undefined,
  onProblem: (key: string, rule: string) => void,
): Promise<AuditHead> {
  let computed: AuditHead = { entries: 0, hash: NO_HASH };
  let earlierHash = NO_HASH;
  for await (const { entry, key, hash, stored } of auditChain(db)) {
    if (stored !== hash) {
      onProblem(
        `audit log entry ${key}`,
        'an entry must have the hash of its members and the entry before, but has another one: it was changed, or entries before it were changed, added or removed',
      );
    }
    computed = { entries: entry, hash: stored };
    if (entry === earlier?.entries) earlierHash = computed.hash;
  }
  const head = await auditHead(db);
  if (head.entries !== computed.entries || head.hash !== computed.hash) {
    onProblem(
      'audit log',
      `the last entry must be the head of the chain (${headText(head)}), but is ${headText(computed)}: entries at the end were changed, added or removed`,
    );
  }
  if (earlier !== undefined && earlierHash !== earlier.hash) {
    onProblem(
      'audit log',
      `the chain must contain the earlier head ${headText(earlier)}, but does not: entries up to it were changed, added or removed`,
    );
  }
  return head;
}

/** `12:` and the hash. */
export function headText({ entries, hash }: AuditHead): string {
  return `${entries}:${hash}`;
}

/** Reads a result of {@link headText}. */
export function parsedHead(text: string): AuditHead | undefined {
  const [, entries, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? [];
  return entries === undefined || hash === undefined ? undefined : { entries: Number(entries), hash };
}
