/**
 * Indexes in OpenSearch against PostgreSQL, over HTTP in one run: adds, searches, and recall. The follower of PostgreSQL
 * compares each query with all assets (`exact=true`); recall is the share of its matches that OpenSearch finds, too.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { SearchResult } from '../../src/client/search-api.js';
import { type OpenSearchNode, openSearchIfPossible } from '../../test/support/opensearch.js';
import { startPostgres } from '../../test/support/postgres.js';
import {
  ASSETS,
  addAll,
  BATCH,
  CLIENTS,
  expectStatus,
  inTurns,
  post,
  report,
  searches,
  startIndexes,
  writeQueries,
} from './cluster-indexes.js';
import { quickOr } from './options.js';
import {
  type Collection,
  makeCollection,
  makeQueries,
  UNITS,
  unitTexts,
  writeBatches,
} from './search-data.js';
import { kill, type Server } from './search-servers.js';

const HEAP_MIB = quickOr(512, 1536);
const BITS = 256;
/** Bits in which a query and a match differ at most. The last one is the default threshold. */
const DISTANCES = [15, 30, 64];
/** Near copies, for which candidates are complete, and the default. */
const THRESHOLDS = [0.94, 0.88, 0.75];
const QUERIES = quickOr(20, 1000);
const MATCHES_MAX = 100;
/** Batches at a time: an add waits until it is visible. */
const ADDS_AT_ONCE = 2;

export async function opensearch(): Promise<void> {
  const cluster = await openSearchIfPossible(1, HEAP_MIB, []);
  if (cluster === undefined) return;
  const folder = await mkdtemp(path.join(tmpdir(), 'isccd-bench-'));
  const postgres = await startPostgres({ sync: true });
  try {
    const collection = makeCollection(ASSETS);
    const batches = await writeBatches(collection, BATCH, folder);
    const queryFile = await writeQueries(collection, folder);
    const servers = {
      PostgreSQL: await startIndexes(path.join(folder, 'postgresql'), await postgres.createDatabase()),
      OpenSearch: await startIndexes(path.join(folder, 'opensearch'), cluster.location()),
    };
    console.log(`${ASSETS.toLocaleString('en')} assets in batches of ${BATCH}, ${ADDS_AT_ONCE} at a time`);
    report('adds', {
      PostgreSQL: await addAll(servers.PostgreSQL, batches, ADDS_AT_ONCE),
      OpenSearch: await addAll(servers.OpenSearch, batches, ADDS_AT_ONCE),
    });
    await costs((cluster.nodes[0] as OpenSearchNode).url);
    for (const threshold of THRESHOLDS)
      for (const clients of CLIENTS)
        report(
          `searches from ${threshold}, ${clients} clients`,
          await inTurns(servers, (server) =>
            searches(server, clients, queryFile, `limit=10&threshold=${threshold}`),
          ),
        );
    for (const distance of DISTANCES) await recall(collection, distance, servers);
    await Promise.all(Object.values(servers).map(kill));
  } finally {
    await Promise.all([postgres.stop(), cluster.stop()]);
    await rm(folder, { recursive: true, force: true });
  }
}

/** Prints what the assets have cost the only node. */
async function costs(node: string): Promise<void> {
  const path = `${node}/_nodes/stats/process,indices?filter_path=nodes.*.process.cpu,nodes.*.indices.store`;
  const { nodes } = JSON.parse(await expectStatus(200, fetch(path))) as {
    readonly nodes: Readonly<Record<string, Costs>>;
  };
  const [{ process, indices }] = Object.values(nodes) as [Costs];
  const [ms, kilobytes] = [process.cpu.total_in_millis / ASSETS, indices.store.size_in_bytes / 1000 / ASSETS];
  console.log(
    `a node: ${ms.toFixed(1)} ms of processor time, its start included, and ${kilobytes.toFixed(2)} kB of disk per asset`,
  );
}

interface Costs {
  readonly process: { readonly cpu: { readonly total_in_millis: number } };
  readonly indices: { readonly store: { readonly size_in_bytes: number } };
}

/** Prints the share of the matches within a distance that OpenSearch finds. Each score must be the exact one. */
async function recall(
  collection: Collection,
  distance: number,
  { PostgreSQL, OpenSearch }: { readonly PostgreSQL: Server; readonly OpenSearch: Server },
): Promise<void> {
  let [expected, found] = [0, 0];
  for (const { units } of makeQueries(collection, QUERIES, distance + 1)) {
    // Without the Instance-Code, which is always found.
    const body = JSON.stringify({ units: unitTexts(units).slice(0, UNITS - 1) });
    const query = `limit=${MATCHES_MAX}&threshold=${1 - distance / BITS}`;
    const [exact, candidates] = await Promise.all([
      matches(PostgreSQL, `${query}&exact=true`, body),
      matches(OpenSearch, query, body),
    ]);
    for (const [id, score] of exact) {
      expected += 1;
      const other = candidates.get(id);
      if (other === undefined) continue;
      found += 1;
      if (other !== score) throw new Error(`${id} has score ${other}, exactly ${score}`);
    }
  }
  const share = (found / expected).toFixed(6);
  console.log(`recall within ${distance} of ${BITS} bits: ${share} (${found} of ${expected} matches)`);
}

async function matches({ url }: Server, query: string, body: string): Promise<ReadonlyMap<string, number>> {
  const text = await expectStatus(200, post(`${url}/indexes/main/search?${query}`, body));
  return new Map(
    (JSON.parse(text) as SearchResult).global_matches.map(({ iscc_id, score }) => [iscc_id, score]),
  );
}
