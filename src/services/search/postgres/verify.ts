/** Reads all indexes of a database in one snapshot: counts, and a digest of each to compare with a cache or another place. */
import { createHash } from 'node:crypto';
import { native } from '../../../native.js';
import { failureReason } from '../../../platform/failure-reason.js';
import { FormatRefused } from '../../../storage/data/format.js';
import type { OnProblem } from '../../../storage/data/port.js';
import { databaseProblem } from './check.js';
import { parseLocation } from './location.js';
import { connect } from './open.js';
import { allAssets, readRegistry, type StoredIndex } from './rows.js';
import type { SearchDb } from './tables.js';

/** What is in the database, by index. */
export interface CheckedIndexes {
  readonly counts: Readonly<Record<string, number>>;
  /** As of `folderDigest`. */
  readonly digests: Readonly<Record<string, string>>;
}

/** @throws {FormatRefused} if the database can't be used; the message says why */
export async function verifyDatabase(location: string, onProblem: OnProblem): Promise<CheckedIndexes> {
  const problem = await databaseProblem(location);
  if (problem !== undefined) throw new FormatRefused(problem);
  const [counts, digests]: [Record<string, number>, Record<string, string>] = [{}, {}];
  const db = connect(parseLocation(location));
  try {
    const snapshot = db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only');
    await snapshot.execute(async (rows) => {
      for (const index of (await readRegistry(rows)).indexes) {
        try {
          const { count, digest } = await readIndex(rows, index);
          [counts[index.name], digests[index.name]] = [count, digest];
        } catch (error) {
          onProblem(index.name, `unreadable: ${failureReason(error)}`);
        }
      }
    });
  } finally {
    await db.destroy();
  }
  return { counts, digests };
}

async function readIndex(
  db: SearchDb,
  { id, name, state }: StoredIndex,
): Promise<{ readonly count: number; readonly digest: string }> {
  const hash = createHash('sha256');
  let all = 0;
  for await (const { rows, count } of allAssets(db, id)) {
    const assets = JSON.parse(rows) as readonly unknown[];
    for (let at = 0; at < count; ) {
      const rest = Buffer.from(JSON.stringify(assets.slice(at)));
      // A page may have fewer assets.
      const page = await native.foreignPage({ name, state }, rest, count - at, true, false);
      hash.update(page.entries);
      at += page.count;
    }
    all += count;
  }
  return { count: all, digest: hash.digest('hex') };
}
