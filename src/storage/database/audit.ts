/** Writes the audit log: who did what when, from where. Entries join the transaction of the change they describe. */
import type { Transaction } from 'kysely';
import { extendChain } from './audit-chain.js';
import type { AuditTable, Db, Tables } from './tables.js';

export const AUDIT_ACTIONS = [
  'login',
  // One entry per account and day.
  'login-failed',
  'logout',
  'account-added',
  'account-password',
  'account-role',
  'account-disabled',
  'account-enabled',
  'account-unlocked',
  'second-factor-added',
  'second-factor-removed',
  'sessions-ended',
  // A publisher bound a value to a stored manifest, or moved it there from another one.
  'binding-added',
  'binding-moved',
  'manifest-claimed',
  'manifest-deleted',
  'manifest-displaced',
  // A validation changed whether the signer of a stored manifest is trusted.
  'manifest-rejudged',
  'manifest-released',
  'manifest-restored',
  'declaration-retried',
  'audit-exported',
  'token-added',
  'token-revoked',
  'webhook-added',
  'webhook-disabled',
  'webhook-enabled',
  'webhook-deleted',
] as const;

export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** Who acts, and from where. */
export interface Actor {
  readonly kind: AuditTable['actor_kind'];
  /** Name of the account, or of the system's user. */
  readonly name?: string | undefined;
  /** Address of the client, or name of the machine. */
  readonly origin?: string | undefined;
}

/** The actor of changes that no person caused. */
export const STORE_ITSELF: Actor = { kind: 'store' };

export interface AuditEntry {
  readonly action: AuditAction;
  /** Manifest id, name of an account or a publisher, or number of a webhook. */
  readonly subject?: string | undefined;
  readonly before?: object | undefined;
  readonly after?: object | undefined;
}

/** Far below the limit of parameters of both engines. */
const ENTRIES_PER_INSERT = 500;

/**
 * Adds entries. In a transaction it comes after all statements that wait for locks of others: until the end, other transactions
 * with entries wait.
 *
 * @param db the transaction of the change, if there is one
 */
export async function recordAudit(db: Db, actor: Actor, entries: readonly AuditEntry[]): Promise<void> {
  if (db.isTransaction) await append(db as Transaction<Tables>, actor, entries);
  else await db.transaction().execute((transaction) => append(transaction, actor, entries));
}

async function append(
  transaction: Transaction<Tables>,
  actor: Actor,
  entries: readonly AuditEntry[],
): Promise<void> {
  const at = Date.now();
  for (let from = 0; from < entries.length; from += ENTRIES_PER_INSERT) {
    const rows = entries.slice(from, from + ENTRIES_PER_INSERT).map((entry) => ({
      at,
      actor_kind: actor.kind,
      actor: stored(actor.name),
      origin: stored(actor.origin),
      action: entry.action,
      subject: stored(entry.subject),
      state_before: json(entry.before),
      state_after: json(entry.after),
    }));
    await transaction
      .insertInto('audit')
      .values(await extendChain(transaction, rows))
      .execute();
  }
}

/** A text as the database returns it, which has no lone surrogates: its hash must be that of the row when it is read. */
function stored(text: string | undefined): string | null {
  return text === undefined ? null : Buffer.from(text).toString();
}

function json(state: object | undefined): string | null {
  return state === undefined ? null : JSON.stringify(state);
}
