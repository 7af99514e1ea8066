/** `isccd store audit`: prints or exports the audit log of the store's database, oldest entries first. */
import { once } from 'node:events';
import { printable } from '../../platform/printable.js';
import { AUDIT_ACTIONS } from '../../storage/database/audit.js';
import {
  type AuditFilter,
  type AuditFormat,
  type AuditRecord,
  auditLines,
  auditRecords,
} from '../../storage/database/audit-log.js';
import { withStoreDatabase } from '../input/store-database.js';
import { CommandFailed, EXIT_CONFIGURATION } from '../terminal/failure.js';

export interface AuditOptions {
  readonly actor?: string;
  readonly action?: string;
  readonly subject?: string;
  readonly from?: string;
  readonly to?: string;
  readonly csv?: boolean;
  readonly json?: boolean;
}

export async function audit(options: AuditOptions): Promise<void> {
  const filter = auditFilter(options);
  const format: AuditFormat | undefined = options.json ? 'ndjson' : options.csv ? 'csv' : undefined;
  await withStoreDatabase(async ({ db }) => {
    const records = auditRecords(db, filter);
    for await (const text of format === undefined ? lines(records) : auditLines(records, format)) {
      if (!process.stdout.write(text)) await once(process.stdout, 'drain');
    }
  });
}

function auditFilter({ actor, action, subject, from, to }: AuditOptions): AuditFilter {
  const known = AUDIT_ACTIONS.find((one) => one === action);
  if (action !== undefined && known === undefined) {
    const rule = `--action must be one of ${AUDIT_ACTIONS.join(', ')}`;
    throw new CommandFailed(rule, EXIT_CONFIGURATION);
  }
  return { actor, action: known, subject, from: time('--from', from), to: time('--to', to) };
}

function time(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const milliseconds = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(milliseconds)) {
    const rule = `${option} must be a date or time in ISO form, such as 2026-11-22 or 2026-11-22T10:00:00Z`;
    throw new CommandFailed(rule, EXIT_CONFIGURATION);
  }
  return milliseconds;
}

async function* lines(records: AsyncIterable<AuditRecord>): AsyncGenerator<string> {
  for await (const { at, actorKind, actor, origin, action, subject, before, after } of records) {
    const who = `${actorKind}${actor === null ? '' : ` ${actor}`}${origin === null ? '' : ` at ${origin}`}`;
    const states = [before, after].map((state) => (state === null ? '-' : JSON.stringify(state)));
    const changed = before === null && after === null ? '' : ` ${states.join(' -> ')}`;
    yield `${printable(`${at} ${who}: ${action}${subject === null ? '' : ` ${subject}`}${changed}`)}\n`;
  }
}
