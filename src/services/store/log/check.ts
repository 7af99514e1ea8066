/** Checks the rows of the store's log: its entries, its tree, its head, and that it has what happened to each manifest. */
import { native } from '../../../native.js';
import { HASH_BYTES } from '../../../network/log-path.js';
import type { OnProblem } from '../../../storage/data/port.js';
import type { AuditHead } from '../../../storage/database/audit-chain.js';
import type { Db, LogEntryTable, ManifestRow } from '../../../storage/database/tables.js';
import { loggedAs, recordOf, statementOf } from './entries.js';
import { logHead } from './store-log.js';

const BATCH_ENTRIES = 1000;
const PLACE = 'store log';
const CHANGED = 'entries were changed, added or removed';

/** A head as commands print it. */
export async function storeLogHead(db: Db): Promise<AuditHead> {
  const { size, root } = await logHead(db);
  return { entries: size, hash: root.toString('hex') };
}

/**
 * Computes the log again.
 *
 * @param db a snapshot
 * @param earlier a head that was noted before: the log must have begun with it
 */
export async function checkStoreLog(
  db: Db,
  earlier: AuditHead | undefined,
  onProblem: OnProblem,
): Promise<AuditHead> {
  const tree = await computed(db, earlier?.entries, onProblem);
  const head = await storeLogHead(db);
  if (head.entries !== tree.size || head.hash !== rootText(tree.size, tree.peaks))
    onProblem(PLACE, `its entries must give its head ${head.entries}:${head.hash}, but do not: ${CHANGED}`);
  if (earlier !== undefined && tree.earlierHash !== earlier.hash) {
    onProblem(
      PLACE,
      `it must contain the earlier head ${earlier.entries}:${earlier.hash}, but does not: ${CHANGED}`,
    );
  }
  await checkManifests(db, onProblem);
  return head;
}

interface ComputedLog {
  readonly size: number;
  readonly peaks: Buffer;
  /** Root of the earlier head's entries, if there are so many. */
  readonly earlierHash: string | undefined;
}

/** The tree over all entries, as it would be without their stored hashes. */
async function computed(db: Db, earlierSize: number | undefined, onProblem: OnProblem): Promise<ComputedLog> {
  let [size, peaks]: [number, Buffer] = [0, Buffer.alloc(0)];
  let earlierHash = earlierSize === 0 ? rootText(0, peaks) : undefined;
  let isIntact = true;
  for (;;) {
    const limit =
      size < (earlierSize ?? 0) ? Math.min(BATCH_ENTRIES, (earlierSize ?? 0) - size) : BATCH_ENTRIES;
    const rows = await db
      .selectFrom('log_entries')
      .selectAll()
      .where('leaf', '>=', size)
      .orderBy('leaf')
      .limit(limit)
      .execute();
    if (rows.length === 0) return { size, peaks, earlierHash };
    const appended = native.appendToLog(size, peaks, rows.map(recordOf));
    for (const [at, row] of rows.entries()) {
      if (row.leaf !== size + at) {
        onProblem(`${PLACE} entry ${size + at}`, 'it must exist, but does not: it was removed');
        return { size: size + at, peaks, earlierHash };
      }
      isIntact = checkNodes(row, appended.nodes[at], isIntact, onProblem);
    }
    size += rows.length;
    peaks = appended.peaks;
    if (size === earlierSize) earlierHash = rootText(size, peaks);
  }
}

/** @param isIntact whether all entries before are those that were hashed; later trees differ after one that is not */
function checkNodes(
  { leaf, nodes }: LogEntryTable,
  expected: Buffer | undefined,
  isIntact: boolean,
  onProblem: OnProblem,
): boolean {
  const own = (hashes: Buffer | undefined) => hashes?.subarray(0, HASH_BYTES) ?? Buffer.alloc(0);
  if (!own(nodes).equals(own(expected))) {
    onProblem(
      `${PLACE} entry ${leaf}`,
      'it must have the hash of its members, but has another one: it was changed',
    );
    return false;
  }
  if (!isIntact || expected?.equals(nodes) === true) return isIntact;
  onProblem(
    `${PLACE} entry ${leaf}`,
    `it must have the hashes of the entries before it, but has others: ${CHANGED}`,
  );
  return false;
}

function rootText(size: number, peaks: Buffer): string {
  return native.logRoot(size, peaks).toString('hex');
}

/** Each manifest must have its upload in the log, and its last entry must be its state. */
async function checkManifests(db: Db, onProblem: OnProblem): Promise<void> {
  for (let after = 0; ; ) {
    const manifests = await db
      .selectFrom('manifests')
      .select(['key', 'manifest_id', 'sha256', 'size', 'uploaded_at', 'live'])
      .where('key', '>', after)
      .orderBy('key')
      .limit(BATCH_ENTRIES)
      .execute();
    const keys = manifests.map(({ key }) => key);
    after = keys.at(-1) ?? after;
    if (keys.length === 0) break;
    const entries = await db
      .selectFrom('log_entries')
      .select(['act', 'at', 'statement', 'manifest_key'])
      .where('manifest_key', 'in', keys)
      .orderBy('leaf')
      .execute();
    const found = new Map<number, (typeof entries)[number][]>();
    for (const entry of entries)
      found.set(entry.manifest_key, [...(found.get(entry.manifest_key) ?? []), entry]);
    for (const manifest of manifests) {
      const problem = manifestProblem(manifest, found.get(manifest.key) ?? []);
      if (problem !== undefined) onProblem(manifest.manifest_id, problem);
    }
  }
  await checkDropped(db, onProblem);
}

type LoggedRow = Pick<ManifestRow, 'key' | 'manifest_id' | 'sha256' | 'size' | 'uploaded_at' | 'live'>;

function manifestProblem(
  manifest: LoggedRow,
  entries: readonly Pick<LogEntryTable, 'act' | 'at' | 'statement'>[],
): string | undefined {
  const [first] = entries;
  if (first?.act !== 'stored') return 'its upload must be in the log of the store, but is not';
  const statement = statementOf(loggedAs('stored', first.at)(manifest));
  if (!entries.every((entry) => entry.statement.equals(statement)) || first.at !== manifest.uploaded_at)
    return 'it must have the id, the bytes and the time that the log of the store has, but has others';
  const last = entries.at(-1)?.act;
  const isLive = last === 'stored' || last === 'restored';
  if (isLive === (manifest.live === 1)) return undefined;
  return `it must be ${isLive ? 'live' : 'deleted'}, as the log of the store says, but is not`;
}

/** Manifests without a row must have been released. */
async function checkDropped(db: Db, onProblem: OnProblem): Promise<void> {
  const dropped = await db
    .selectFrom('log_entries as e')
    .leftJoin('manifests as m', 'm.key', 'e.manifest_key')
    .select(['e.leaf', 'e.act'])
    .where('m.key', 'is', null)
    .where('e.leaf', '=', (last) =>
      last
        .selectFrom('log_entries as l')
        .select(({ fn }) => fn.max('l.leaf').as('leaf'))
        .whereRef('l.manifest_key', '=', 'e.manifest_key'),
    )
    .where('e.act', '!=', 'released')
    .execute();
  for (const { leaf, act } of dropped)
    onProblem(
      `${PLACE} entry ${leaf}`,
      `the manifest that was ${act} must have a row, but has none: it was dropped`,
    );
}
