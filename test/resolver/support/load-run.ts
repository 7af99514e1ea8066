/** Run by the load test: a resolver, its gateways, its search service and its clients in one process. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { gateways, storeBytes } from './gateways.js';
import { dataCode, queryUrl, recordedSearch, startResolver } from './resolver.js';

const WARM_UP_QUERIES = 5_000;
const QUERIES = 10_000;
const CLIENTS = 100;
const MANIFESTS = 40;
/** Matches per query: the first ones in order of ISCC-ID. */
const MATCHES = 20;

const search = await recordedSearch();
const places = await gateways();
const server = await startResolver({
  RESOLVER_SEARCH_URL: search.url,
  // Clients, gateways and resolver share one thread here, so short time-outs would fail for the wrong reason.
  RESOLVER_SEARCH_TIMEOUT: '60',
  RESOLVER_PROBE_TIMEOUT: '60',
  RESOLVER_FETCH_TIMEOUT: '60',
});

const targets = Array.from({ length: MANIFESTS }, (_, at) => `/v1/manifests/urn:c2pa:${at}`);
for (const target of targets) places.kinds.set(target, 'store');
const hits = targets.map((target, at) => ({
  iscc_id: `ISCC:MAIWHWZA2D7A${String.fromCharCode(65 + (at >> 4), 65 + (at & 15))}MA`,
  types: { DATA_NONE_V0: 0.9 },
  metadata: { gateway: `https://127.0.0.1:${places.https}${target}` },
}));
for (const { iscc_id, metadata } of hits) {
  search.assets.set(iscc_id, { status: 200, body: JSON.stringify({ iscc_id, metadata }) });
}
search.searchResponse = { status: 200, body: JSON.stringify({ global_matches: hits }) };

let wrong = 0;
// `fetch` of the clients would take half of the processor time.
const dispatcher = new Agent();
// Fetches by id work only for manifests that a query has returned.
await fetch(queryUrl(server.url, dataCode(0), `&maxResults=${MATCHES}`));
await query(WARM_UP_QUERIES);
const beforeBytes = await memory();
await query(QUERIES);
const afterBytes = await memory();
process.stdout.write(`${JSON.stringify({ wrong, beforeBytes, afterBytes })}\n`);
process.exit();

async function query(count: number): Promise<void> {
  let left = count;
  const client = async () => {
    while (left > 0) {
      left -= 1;
      // Every fourth request fetches a manifest that a query returned.
      const isFetch = left % 4 === 0;
      const target = targets[(left >> 2) % MATCHES] ?? '';
      const url = isFetch
        ? server.url + target
        : queryUrl(server.url, dataCode(left & 255), `&maxResults=${MATCHES}`);
      const { statusCode, body } = await request(url, { dispatcher });
      const bytes = Buffer.from(await body.arrayBuffer());
      const isRight = isFetch
        ? storeBytes(0, target.split('/').at(-1)).equals(bytes) || statusCode === 404
        : (bytes.toString().match(/manifestId/g)?.length ?? 0) === 20;
      if (isRight) continue;
      wrong += 1;
      process.stderr.write(`${url}: ${statusCode} ${bytes.toString().slice(0, 200)}\n`);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  search.seen.length = 0;
  places.seen.length = 0;
}

/** Bytes in use after garbage collection, once idle connections are closed. */
async function memory(): Promise<number> {
  await sleep(1500);
  for (let times = 0; times < 3; times += 1) {
    globalThis.gc?.();
    await sleep(100);
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
