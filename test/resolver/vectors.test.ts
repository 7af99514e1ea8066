/** The recorded scenarios over real HTTP: a search service with recorded responses, and real gateways. */
import { beforeAll, describe, expect, it, test } from 'vitest';
import { isPublicAddress } from '../../src/platform/egress/public-address.js';
import { GatewayClient } from '../../src/services/resolver/gateway-client.js';
import { scoreOf } from '../../src/services/resolver/hits.js';
import { Prober } from '../../src/services/resolver/prober.js';
import { vectors } from '../c2pa/vectors.js';
import { type DnsServer, dnsServer } from '../support/dns.js';
import { AUTHORITY, type Gateways, gateways, type Kind } from './support/gateways.js';
import {
  dataCode,
  queryUrl,
  type RecordedSearch,
  recordedSearch,
  startResolver,
} from './support/resolver.js';

interface Hit {
  readonly iscc_id: string;
  readonly metadata: { readonly gateway?: unknown } | null;
}

interface Scenario {
  readonly name: string;
  readonly searchResponse: { readonly global_matches: readonly Hit[] };
  readonly gateways: Readonly<Record<string, { readonly kind: Kind }>>;
  readonly maxResults: number;
  readonly expectedSearchLimit: number;
  readonly expectedMatches: readonly { readonly endpoint: string }[];
  readonly expectedProbedUrls: readonly string[];
}

const recorded = vectors<{
  cases: readonly Scenario[];
  searchFailures: readonly { searchStatus: number | 'refused'; searchBody?: unknown; status: number }[];
  probeCacheSeconds: Readonly<Record<string, number>>;
}>('resolver');

let search: RecordedSearch;
let places: Gateways;
let dns: DnsServer;
beforeAll(async () => {
  search = await recordedSearch();
  places = await gateways();
  dns = await dnsServer({ '*': ['127.0.0.1'], 'inside.example': ['10.0.0.1'] });
  return async () => {
    dns.close();
    await places.close();
    await search.close();
  };
});

/** The recorded address with the port of the test's gateway. */
function moved(url: string): string {
  return url.replace(/^(https?):\/\/([^/]+)/, (_, scheme: 'http' | 'https', host: string) => {
    return `${scheme}://${host}:${places[scheme]}`;
  });
}

describe('scenarios', () => {
  it.each(recorded.cases)('$name', async (scenario) => {
    const server = await startResolver({ RESOLVER_SEARCH_URL: search.url }, {}, [dns.address]);
    const hits = scenario.searchResponse.global_matches.map((hit) => {
      const gateway = hit.metadata?.gateway;
      return typeof gateway === 'string' ? { ...hit, metadata: { gateway: moved(gateway) } } : hit;
    });
    search.searchResponse = {
      status: 200,
      body: JSON.stringify({ ...scenario.searchResponse, global_matches: hits }),
    };
    places.kinds.clear();
    for (const [url, { kind }] of Object.entries(scenario.gateways)) {
      const { pathname, search: query, hostname } = new URL(url);
      places.kinds.set(hostname + pathname + query, kind);
    }
    places.seen.length = 0;
    try {
      const response = await fetch(queryUrl(server.url, dataCode(1), `&maxResults=${scenario.maxResults}`));
      expect(response.status).toBe(200);
      const expected = scenario.expectedMatches.map((match) => ({
        ...match,
        endpoint: match.endpoint.replace('{base}', server.url),
      }));
      expect(await response.json()).toEqual({ matches: expected });
      expect(search.seen.at(-1)?.target).toBe(`/indexes/c2pa/search?limit=${scenario.expectedSearchLimit}`);
      const first = places.seen.filter(({ target }) => !target.includes('left='));
      const probed = first.map(({ target, servername }) => `https://${servername}${target}`);
      expect(probed.sort()).toEqual([...scenario.expectedProbedUrls].sort());
    } finally {
      await server.stop();
    }
  });
});

/**
 * The reference returns 500 here. We return 503 with `Retry-After`, as an unreachable search service is a temporary
 * condition of another service.
 */
const UNREACHABLE = { reference: 500, ours: 503 };

describe('a failing search service', () => {
  it.each(recorded.searchFailures)('$searchStatus $searchBody', async (failure) => {
    const refused = failure.searchStatus === 'refused';
    if (refused) expect(failure.status).toBe(UNREACHABLE.reference);
    const server = await startResolver({ RESOLVER_SEARCH_URL: refused ? 'http://127.0.0.1:1' : search.url });
    const { searchBody: body } = failure;
    if (typeof failure.searchStatus === 'number') {
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      search.searchResponse = { status: failure.searchStatus, body: text };
    }
    try {
      const response = await fetch(queryUrl(server.url, dataCode(1)));
      expect(response.status).toBe(refused ? UNREACHABLE.ours : failure.status);
      expect(response.headers.has('retry-after')).toBe(refused);
      const detail = { detail: 'Search backend unavailable' };
      expect(await response.json()).toEqual(failure.status === 200 ? { matches: [] } : detail);
    } finally {
      await server.stop();
    }
  });
});

describe('the result of a probe is cached', () => {
  let client: GatewayClient;
  beforeAll(() => {
    const network = { ca: AUTHORITY, dnsServers: [dns.address] };
    client = new GatewayClient({ allowed: new Set(['127.0.0.1']), ...network });
    return () => client.close();
  });

  it.each(Object.entries(recorded.probeCacheSeconds))('%s: for %i s', async (kind, seconds) => {
    let now = 1_000_000;
    // Only the cases that have to time out get a short time-out.
    const timeoutMs = kind === 'timeout' || kind === 'slow' ? 300 : 30_000;
    const prober = new Prober(client, { timeoutMs, parallel: 4, now: () => now });
    const target = `/v1/manifests/cached-${kind}`;
    places.kinds.set(`repo.example${target}`, kind as Kind);
    const probe = async () => {
      places.seen.length = 0;
      const isStore = await prober.isStore(`https://repo.example:${places.https}${target}`);
      return [isStore, places.seen.length > 0];
    };
    const isStore = seconds === 86_400;
    expect(await probe()).toEqual([isStore, true]);
    now += seconds * 1000 - 1;
    expect(await probe()).toEqual([isStore, false]);
    now += 1;
    expect(await probe()).toEqual([isStore, true]);
  });
});

test.each(
  vectors<{ resolver: { types: Record<string, number>; score: number | null }[] }>('scoring').resolver,
)('types $types score $score', ({ types, score }) => {
  expect(scoreOf(types) ?? null).toBe(score);
});

test.each(vectors<{ public: { ip: string; public: boolean }[] }>('addresses').public)(
  '$ip is public: $public',
  ({ ip, public: expected }) => {
    expect(isPublicAddress(ip)).toBe(expected);
  },
);
