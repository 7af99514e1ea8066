/** Counts declarations that a followed hub has not put into its log. */
import type { FollowedNetwork } from '../../network/aggregator.js';
import { logStates } from '../../network/declared.js';
import { gauge, type Metric } from '../../platform/observe/instruments.js';
import type { Db } from '../../storage/database/tables.js';

const BATCH_ROWS = 1000;
/** A scrape does not read all declarations again within this time. */
const LIFETIME_MS = 60_000;

/** Gauge of the declarations that were declared more than an hour ago and are missing in the log of a healthy hub. */
export function unloggedGauge(db: Db, network: FollowedNetwork): Metric {
  let known: { readonly count: Promise<number>; readonly untilMs: number } | undefined;
  const read = () => {
    const now = Date.now();
    if (known === undefined || known.untilMs <= now)
      known = { count: countUnlogged(db, network, now), untilMs: now + LIFETIME_MS };
    return known.count;
  };
  return gauge(
    'isccd_store_declarations_unlogged',
    'Declarations older than an hour that are not in the log of their hub, which is being followed',
    [],
    async () => [{ labels: {}, value: await read() }],
  );
}

export async function countUnlogged(db: Db, network: FollowedNetwork, nowMs: number): Promise<number> {
  let count = 0;
  for (let after = 0; ; ) {
    const rows = await db
      .selectFrom('declarations')
      .select(['key', 'iscc_id', 'pubkey', 'attempted_at'])
      .where('status', '=', 'declared')
      .where('key', '>', after)
      .orderBy('key')
      .limit(BATCH_ROWS)
      .execute();
    const declared = rows.map(({ iscc_id, pubkey, attempted_at }) => ({
      isccId: iscc_id ?? '',
      key: pubkey ?? undefined,
      declaredMs: attempted_at ?? 0,
    }));
    const states = await logStates(network, declared, nowMs);
    count += states.filter((state) => state?.kind === 'missing').length;
    const last = rows.at(-1);
    if (last === undefined || rows.length < BATCH_ROWS) return count;
    after = last.key;
  }
}
