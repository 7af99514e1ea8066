/**
 * Entries of the store's transparency log, and how they are added. Design: docs/design/store-log.md.
 *
 * An entry is public for ever, so it names no manifest: it has a hash of what identifies one, by which only those find it who know
 * the manifest.
 */
import { createHash } from 'node:crypto';
import type { Transaction } from 'kysely';
import { z } from 'zod';
import { native } from '../../../native.js';
import { canonicalize } from '../../../platform/signing/jcs.js';
import {
  LOG_ACTS,
  type LogAct,
  type LogEntryTable,
  type ManifestRow,
  type Tables,
} from '../../../storage/database/tables.js';

/** What identifies a stored manifest. */
export interface LoggedManifest {
  readonly manifestId: string;
  /** Of the Manifest Store, in hex. */
  readonly sha256: string;
  /** Bytes of the Manifest Store. */
  readonly size: number;
}

export interface NewLogEntry extends LoggedManifest {
  readonly act: LogAct;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly key: number;
}

/** Far below the limit of parameters of both engines. */
const ENTRIES_PER_INSERT = 500;

/** SHA-256 of the canonical JSON of what identifies a manifest. The form must never change. */
export function statementOf({ manifestId, sha256, size }: LoggedManifest): Buffer {
  return createHash('sha256').update(canonicalize({ manifestId, sha256, size })).digest();
}

/** The bytes of an entry: canonical JSON. The form must never change. */
export function recordOf({ act, at, statement }: Pick<LogEntryTable, 'act' | 'at' | 'statement'>): Buffer {
  const entry = { act, at: new Date(at).toISOString(), statement: statement.toString('hex') };
  return Buffer.from(canonicalize(entry));
}

/** The time in the bytes of an entry, in milliseconds; `undefined` if they are not those of an entry. */
export function timeOf(record: Buffer): number | undefined {
  const { success, data } = recordSchema.safeParse(parsed(record.toString()));
  return success ? Date.parse(data.at) : undefined;
}

const recordSchema = z.object({
  act: z.enum(LOG_ACTS),
  at: z.iso.datetime(),
  statement: z.string().regex(/^[0-9a-f]{64}$/),
});

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The entry for a row, of an act at a time. */
export function loggedAs(act: LogAct, at: number) {
  return (row: Pick<ManifestRow, 'key' | 'manifest_id' | 'sha256' | 'size'>): NewLogEntry => {
    const { key, sha256, size } = row;
    // A displacement has added a suffix after a tab.
    const [manifestId = ''] = row.manifest_id.split('\t');
    return { act, at, key, manifestId, sha256, size };
  };
}

/**
 * Adds entries in their order. The caller holds the lock of the feed, so that they are numbered and become visible in one
 * order, with the change that they record.
 */
export async function appendToLog(
  transaction: Transaction<Tables>,
  entries: readonly NewLogEntry[],
): Promise<void> {
  const rows = entries.map(({ act, at, key, ...manifest }) => ({
    act,
    at,
    statement: statementOf(manifest),
    manifest_key: key,
  }));
  const records = rows.map(recordOf);
  const { head, nodes } =
    (lastWritten && (await movedHead(transaction, lastWritten, records))) ??
    (await movedHead(transaction, await presentHead(transaction), records)) ??
    notLocked();
  const numbered = rows.map((row, at) => ({
    ...row,
    leaf: head.size + at,
    nodes: nodes[at] ?? Buffer.alloc(0),
  }));
  for (let from = 0; from < numbered.length; from += ENTRIES_PER_INSERT) {
    const some = numbered.slice(from, from + ENTRIES_PER_INSERT);
    await transaction.insertInto('log_entries').values(some).execute();
  }
}

interface Head {
  readonly size: number;
  readonly peaks: Buffer;
}

/**
 * The head that this process wrote last. It is a guess, which spares a query: another process may have written one since, or the
 * transaction was undone. The database compares it.
 */
let lastWritten: Head | undefined;

/** Moves the head behind new entries. `undefined` if it is not `head`. */
async function movedHead(transaction: Transaction<Tables>, head: Head, records: readonly Buffer[]) {
  const { nodes, peaks } = native.appendToLog(head.size, head.peaks, [...records]);
  const moved = { size: head.size + records.length, peaks };
  const { numUpdatedRows } = await transaction
    .updateTable('log_head')
    .set(moved)
    .where('size', '=', head.size)
    .where('peaks', '=', head.peaks)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return undefined;
  lastWritten = moved;
  return { head, nodes };
}

function presentHead(transaction: Transaction<Tables>): Promise<Head> {
  return transaction.selectFrom('log_head').select(['size', 'peaks']).executeTakeFirstOrThrow();
}

function notLocked(): never {
  throw new Error('the log of the store was written without the lock of the feed');
}
