/** `isccd store revalidate`: makes the running stores validate all manifests again, and shows the progress. */
import { setTimeout as sleep } from 'node:timers/promises';
import { countLive, outdateLive } from '../../storage/database/live-manifests.js';
import type { Db } from '../../storage/database/tables.js';
import { withStoreDatabase } from '../input/store-database.js';
import { CommandFailed } from '../terminal/failure.js';

const POLL_MS = 500;
/** A store that runs starts within this time, and validates a manifest within it. */
const IDLE_MS_MAX = 30_000;

export async function revalidate(options: {
  readonly wait: boolean;
  readonly json?: boolean;
}): Promise<void> {
  await withStoreDatabase(async ({ db }) => {
    const last = await lastEntry(db);
    const manifests = await outdateLive(db);
    if (options.wait) await finished(db, manifests);
    const trusted = await countLive(db, ({ eb }) => eb('trusted', '=', 1));
    const changed = await rejudgedSince(db, last);
    const result = options.json
      ? JSON.stringify({ manifests, trusted, changed, isDone: options.wait })
      : described(manifests, trusted, changed, options.wait);
    process.stdout.write(`${result}\n`);
  });
}

function described(manifests: number, trusted: number, changed: number, isDone: boolean): string {
  if (!isDone) return `${manifests} manifests will be validated, ${trusted} trusted`;
  const rest = changed === 0 ? '' : ' (isccd store audit --action manifest-rejudged lists them)';
  return `${manifests} manifests validated, ${trusted} trusted, ${changed} with another verdict${rest}`;
}

/** Key of the last entry of the audit log; 0 if it is empty. */
async function lastEntry(db: Db): Promise<number> {
  const row = await db
    .selectFrom('audit')
    .select(({ fn }) => fn.max('key').as('key'))
    .executeTakeFirst();
  return Number(row?.key ?? 0);
}

/** Number of manifests whose verdict has changed after an entry of the audit log. */
async function rejudgedSince(db: Db, last: number): Promise<number> {
  const { manifests } = await db
    .selectFrom('audit')
    .select(({ fn }) => fn.countAll<number | string>().as('manifests'))
    .where('action', '=', 'manifest-rejudged')
    .where('key', '>', last)
    .executeTakeFirstOrThrow();
  return Number(manifests);
}

async function finished(db: Db, total: number): Promise<void> {
  let [left, changedAt] = [total, Date.now()];
  while (left > 0) {
    await sleep(POLL_MS);
    const now = await outdated(db);
    if (now !== left) {
      process.stderr.write(`isccd: ${total - now} of ${total} manifests validated\n`);
      [left, changedAt] = [now, Date.now()];
    } else if (Date.now() - changedAt > IDLE_MS_MAX) {
      throw new CommandFailed(`no store validates: the other ${left} manifests follow when one starts`);
    }
  }
}

const outdated = (db: Db) => countLive(db, ({ eb }) => eb('index_version', '=', 0));
