/** `isccd store reindex`: makes the running stores fill their similarity indexes from the start, and shows the progress. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type IndexStatus, indexStatuses, refillAll } from '../../storage/database/index-status.js';
import { outdateLive } from '../../storage/database/live-manifests.js';
import type { Db } from '../../storage/database/tables.js';
import { withStoreDatabase } from '../input/store-database.js';
import { CommandFailed } from '../terminal/failure.js';

export interface ReindexOptions {
  readonly bindings?: boolean;
  readonly wait: boolean;
  readonly json?: boolean;
}

const POLL_MS = 500;
/** A store that runs takes the lease of an index within this time. */
const IDLE_MS_MAX = 10_000;

export async function reindex(options: ReindexOptions): Promise<void> {
  await withStoreDatabase(async ({ db }) => {
    if (options.bindings) await outdateLive(db);
    const indexes = await refillAll(db);
    if (indexes === 0) {
      throw new CommandFailed('no store has fed an index yet: set MSTORE_INDEX and start the store');
    }
    const statuses = options.wait ? await finished(db) : await indexStatuses(db, Date.now());
    for (const status of statuses) {
      process.stdout.write(`${options.json ? JSON.stringify(status) : line(status)}\n`);
    }
    const isOpen = options.wait && statuses.some(({ isFed, isFilling }) => isFed && isFilling);
    if (isOpen) throw new CommandFailed('an index could not be filled; the stores keep trying');
  });
}

/** Waits until all indexes that a process feeds are filled, or one of them fails. */
async function finished(db: Db): Promise<IndexStatus[]> {
  const started = Date.now();
  let shown = '';
  for (;;) {
    const statuses = await indexStatuses(db, Date.now());
    const open = statuses.filter(({ isFilling }) => isFilling);
    const isIdle = Date.now() - started > IDLE_MS_MAX && open.every(({ isFed }) => !isFed);
    if (open.length === 0 || isIdle || open.some(({ error }) => error !== undefined)) return statuses;
    const text = open.map(line).join('\n');
    if (text !== shown) process.stderr.write(`${text}\n`);
    shown = text;
    await sleep(POLL_MS);
  }
}

function line({ indexId, isFed, isFilling, synced, total, refused, error }: IndexStatus): string {
  const state = isFilling ? (isFed ? 'filling' : 'waits for a store that feeds it') : 'in sync';
  const counts = `${synced} of ${total} manifests${refused > 0 ? `, ${refused} refused` : ''}`;
  return `${indexId}: ${error === undefined ? state : `failing (${error})`}, ${counts}`;
}
