/** Reads the audit log: pages, newest first, and exports, oldest first. */
import type { SelectQueryBuilder } from 'kysely';
import { csvField } from '../../platform/csv.js';
import type { AuditAction } from './audit.js';
import type { AuditRow, Db, Tables } from './tables.js';

export const AUDIT_PAGE = 100;
const EXPORT_BATCH = 1000;

export interface AuditFilter {
  readonly actor?: string | undefined;
  readonly action?: AuditAction | undefined;
  readonly subject?: string | undefined;
  /** Milliseconds since the epoch, inclusive. */
  readonly from?: number | undefined;
  /** Milliseconds since the epoch, exclusive. */
  readonly to?: number | undefined;
}

/** An entry as exports show it. */
export interface AuditRecord {
  readonly key: number;
  /** RFC 3339, UTC. */
  readonly at: string;
  readonly actorKind: AuditRow['actor_kind'];
  readonly actor: string | null;
  readonly origin: string | null;
  readonly action: string;
  readonly subject: string | null;
  readonly before: unknown;
  readonly after: unknown;
}

export interface AuditPage {
  /** Newest first. */
  readonly records: readonly AuditRecord[];
  /** Start of the next, older page. */
  readonly older: number | undefined;
}

/** @param below only entries with a smaller key */
export async function auditPage(db: Db, filter: AuditFilter, below?: number): Promise<AuditPage> {
  let query = filtered(db, filter);
  if (below !== undefined) query = query.where('key', '<', below);
  const rows = await query
    .orderBy('key', 'desc')
    .limit(AUDIT_PAGE + 1)
    .execute();
  const records = rows.slice(0, AUDIT_PAGE).map(auditRecord);
  return { records, older: rows.length > AUDIT_PAGE ? records.at(-1)?.key : undefined };
}

/** All matching entries in order. */
export async function* auditRecords(db: Db, filter: AuditFilter): AsyncGenerator<AuditRecord> {
  for (let after = 0; ; ) {
    const rows = await filtered(db, filter)
      .where('key', '>', after)
      .orderBy('key')
      .limit(EXPORT_BATCH)
      .execute();
    for (const row of rows) yield auditRecord(row);
    after = rows.at(-1)?.key ?? after;
    if (rows.length < EXPORT_BATCH) return;
  }
}

export const AUDIT_FORMATS = ['ndjson', 'csv'] as const;
export type AuditFormat = (typeof AUDIT_FORMATS)[number];

const COLUMNS = [
  'key',
  'at',
  'actorKind',
  'actor',
  'origin',
  'action',
  'subject',
  'before',
  'after',
] as const satisfies readonly (keyof AuditRecord)[];

/** Lines of an export, each with its line break. */
export async function* auditLines(
  records: AsyncIterable<AuditRecord>,
  format: AuditFormat,
): AsyncGenerator<string> {
  if (format === 'csv') yield `${COLUMNS.join(',')}\r\n`;
  for await (const record of records) {
    yield format === 'csv'
      ? `${COLUMNS.map((name) => csvField(record[name])).join(',')}\r\n`
      : `${JSON.stringify(record)}\n`;
  }
}

function filtered(
  db: Db,
  { actor, action, subject, from, to }: AuditFilter,
): SelectQueryBuilder<Tables, 'audit', AuditRow> {
  let query = db.selectFrom('audit').selectAll();
  if (actor !== undefined) query = query.where('actor', '=', actor);
  if (action !== undefined) query = query.where('action', '=', action);
  if (subject !== undefined) query = query.where('subject', '=', subject);
  if (from !== undefined) query = query.where('at', '>=', from);
  if (to !== undefined) query = query.where('at', '<', to);
  return query;
}

function auditRecord(row: AuditRow): AuditRecord {
  return {
    key: row.key,
    at: new Date(row.at).toISOString(),
    actorKind: row.actor_kind,
    actor: row.actor,
    origin: row.origin,
    action: row.action,
    subject: row.subject,
    before: row.state_before === null ? null : JSON.parse(row.state_before),
    after: row.state_after === null ? null : JSON.parse(row.state_after),
  };
}
