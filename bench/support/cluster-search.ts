/**
 * Indexes in PostgreSQL against a local folder, over HTTP in one run: adds of 1,000 assets and searches, as ratios. The
 * database comes from Debian's binaries (`ISCCD_TEST_POSTGRES_BIN`) and syncs its log, like the folder.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startPostgres } from '../../test/support/postgres.js';
import {
  ASSETS,
  addAll,
  BATCH,
  CLIENTS,
  inTurns,
  ROUNDS,
  report,
  SECONDS,
  searches,
  startIndexes,
  writeQueries,
} from './cluster-indexes.js';
import { makeCollection, writeBatches } from './search-data.js';
import { kill } from './search-servers.js';

export async function search(): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'isccd-bench-'));
  const postgres = await startPostgres({ sync: true });
  try {
    const collection = makeCollection(ASSETS);
    const batches = await writeBatches(collection, BATCH, folder);
    const queryFile = await writeQueries(collection, folder);
    const servers = {
      folder: await startIndexes(path.join(folder, 'folder'), `usearch://${path.join(folder, 'local')}`),
      PostgreSQL: await startIndexes(path.join(folder, 'postgresql'), await postgres.createDatabase()),
    };
    console.log(
      `${ASSETS.toLocaleString('en')} assets in batches of ${BATCH}; searches for ${SECONDS} s, best of ${ROUNDS}`,
    );
    report('adds', {
      folder: await addAll(servers.folder, batches),
      PostgreSQL: await addAll(servers.PostgreSQL, batches),
    });
    for (const clients of CLIENTS)
      report(
        `searches, ${clients} clients`,
        await inTurns(servers, (server) => searches(server, clients, queryFile)),
      );
    await Promise.all(Object.values(servers).map(kill));
  } finally {
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
