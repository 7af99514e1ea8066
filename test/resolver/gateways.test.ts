/** Misbehaving gateways, and addresses that must not be connected to. */
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { isPublicAddress } from '../../src/platform/egress/public-address.js';
import { GatewayClient } from '../../src/services/resolver/gateway-client.js';
import { vectors } from '../c2pa/vectors.js';
import { type DnsServer, dnsServer } from '../support/dns.js';
import { AUTHORITY, type Gateways, gateways, type Kind, storeBytes } from './support/gateways.js';
import {
  dataCode,
  queryUrl,
  type RecordedSearch,
  recordedSearch,
  startResolver,
} from './support/resolver.js';

const MIB = 1024 * 1024;
const ISCC_ID = 'ISCC:MAIWHWZA2D7A2MAB';

let search: RecordedSearch;
let places: Gateways;
let dns: DnsServer;
beforeAll(async () => {
  search = await recordedSearch();
  places = await gateways();
  dns = await dnsServer({
    'repo.example': ['127.0.0.1'],
    'repo1.example': ['127.0.0.1'],
    'inside.example': ['10.0.0.1'],
    'inside6.example': ['fd00::1'],
    'mapped.example': ['::ffff:c0a8:1'],
    'mixed.example': ['8.8.8.8', '192.168.0.1'],
    'metadata.example': ['169.254.169.254'],
  });
  return async () => {
    dns.close();
    await places.close();
    await search.close();
  };
});
beforeEach(() => {
  places.kinds.clear();
  places.seen.length = 0;
  places.sentBytes = 0;
});

async function withResolver<T>(
  environment: Record<string, string>,
  work: (base: string) => Promise<T>,
): Promise<T> {
  const settings = { RESOLVER_SEARCH_URL: search.url, ...environment };
  const server = await startResolver(settings, {}, [dns.address]);
  try {
    return await work(server.url);
  } finally {
    await server.stop();
  }
}

/** Makes every search return these gateway addresses, one hit each. */
function declare(...addresses: readonly string[]): void {
  const hits = addresses.map((gateway, at) => {
    const iscc_id = `ISCC:MAIWHWZA2D7A${(1000 + at).toString().replace(/[0189]/g, 'X')}`;
    return { iscc_id, types: { DATA_NONE_V0: 0.9 }, metadata: { gateway } };
  });
  search.searchResponse = { status: 200, body: JSON.stringify({ global_matches: hits }) };
}

const matchesOf = async (url: string) => {
  const response = await fetch(url);
  expect(response.status).toBe(200);
  return ((await response.json()) as { matches: { manifestId: string }[] }).matches;
};

it('metrics say that the search service is unavailable, for the alert', async () => {
  await withResolver({ RESOLVER_SEARCH_URL: 'http://127.0.0.1:1' }, async (base) => {
    const metrics = await (await fetch(`${base}/metrics`)).text();
    expect(metrics).toContain('isccd_resolver_dependency_unavailable{dependency="search"} 1');
    expect(metrics).toContain('isccd_resolver_dependency_unavailable{dependency="store"} 0');
    expect(metrics).toContain('isccd_ready{service="resolver"} 1');
  });
});

describe('fetching a manifest', () => {
  const fetched = (
    kind: Kind,
    environment: Record<string, string> = {},
    headers: Record<string, string> = {},
  ) =>
    withResolver({ RESOLVER_FETCH_TIMEOUT: '30', ...environment }, async (base) => {
      places.kinds.set('/manifests/x', kind);
      const gateway = `https://repo.example:${places.https}/manifests/x`;
      search.assets.set(ISCC_ID, { status: 200, body: JSON.stringify({ metadata: { gateway } }) });
      const response = await fetch(`${base}/v1/iscc/maiwhwza2d7a2mab/manifests/x`, { headers });
      return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()) };
    });
  const detail = (text: string) => Buffer.from(JSON.stringify({ detail: text }));
  const NOT_FOUND = { status: 404, bytes: detail('C2PA Manifest not found') };
  const UNAVAILABLE = { status: 500, bytes: detail('Manifest repository unavailable') };

  it.each([
    '404',
    '403',
    '204',
    'html',
    'short',
    'gzip',
    'no-location',
    'redirect-http',
    'redirect-inside',
    'start',
    'cut',
    'doubled',
    'padded',
    'other',
  ] as const)('returns 404 for a gateway that is %s', async (kind) => {
    expect(await fetched(kind)).toEqual(NOT_FOUND);
  });

  it.each(['429', '500', '503', 'broken', 'lying', 'redirect-3'] as const)(
    'returns 500 for a gateway that is %s',
    async (kind) => {
      expect(await fetched(kind)).toEqual(UNAVAILABLE);
    },
  );

  it.each(['timeout', 'slow'] as const)('returns 500 for a gateway that is %s', async (kind) => {
    expect(await fetched(kind, { RESOLVER_FETCH_TIMEOUT: '0.6' })).toEqual(UNAVAILABLE);
  });

  it.each(['store', 'redirect-1', 'redirect-2'] as const)(
    'returns the bytes of a gateway that is %s',
    async (kind) => {
      expect(await fetched(kind)).toEqual({ status: 200, bytes: storeBytes(0, 'x') });
    },
  );

  it('finds an asset that the search service has in the standard form by the form of a hub', async () => {
    places.kinds.set('/manifests/x', 'store');
    const metadata = { gateway: `https://repo.example:${places.https}/manifests/x` };
    search.assets.set('ISCC:MAIGHWZA2D7A2MAB', { status: 200, body: JSON.stringify({ metadata }) });
    search.assets.set(ISCC_ID, { status: 400, body: '{"detail":"Invalid ISCC-ID"}' });
    const path = '/v1/iscc/maiwhwza2d7a2mab/manifests/x';
    expect(await withResolver({}, async (base) => (await fetch(`${base}${path}`)).status)).toBe(200);
  });

  it('continues the trace of the request, over redirects too', async () => {
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    const headers = { traceparent: `00-${traceId}-b7ad6b7169203331-01` };
    expect(await fetched('redirect-1', {}, headers)).toMatchObject({ status: 200 });
    const sent = places.seen.map(({ headers }) => String(headers.traceparent));
    for (const header of sent) expect(header).toMatch(new RegExp(`^00-${traceId}-[\\da-f]{16}-01$`));
    // Each request has its own span.
    expect(new Set([...sent, headers.traceparent]).size).toBe(3);
    expect(search.seen.at(-1)?.traceparent).toContain(traceId);
  });

  it('accepts 10 MiB and refuses one byte more', async () => {
    const largest = await fetched(`bytes-${10 * MIB}`);
    expect([largest.status, largest.bytes.length]).toEqual([200, 10 * MIB]);
    expect(await fetched(`bytes-${10 * MIB + 1}`)).toEqual(NOT_FOUND);
  });

  it('stops reading an endless manifest soon after the limit', async () => {
    expect(await fetched('big-store')).toEqual(NOT_FOUND);
    expect(places.sentBytes).toBeLessThan(20 * MIB);
  });
});

describe('a probe', () => {
  const at = (path: string) => `https://repo.example:${places.https}${path}`;

  it('reads only the start of an endless store, and only once', async () => {
    places.kinds.set('/manifests/x', 'big-store');
    declare(at('/manifests/x'));
    await withResolver({}, async (base) => {
      for (let times = 0; times < 3; times += 1) {
        expect(await matchesOf(queryUrl(base, dataCode(times)))).toHaveLength(1);
      }
    });
    expect(places.seen).toHaveLength(1);
    expect(places.sentBytes).toBeLessThan(4 * MIB);
  });

  it('is shared by concurrent queries', async () => {
    places.kinds.set('/manifests/x', 'store');
    declare(at('/manifests/x'));
    await withResolver({}, async (base) => {
      const all = await Promise.all(Array.from({ length: 20 }, () => matchesOf(queryUrl(base, dataCode(1)))));
      expect(all.every((matches) => matches.length === 1)).toBe(true);
    });
    expect(places.seen).toHaveLength(1);
  });

  it('runs concurrently, up to RESOLVER_CONCURRENCY', async () => {
    const paths = Array.from({ length: 12 }, (_, i) => `/manifests/slow-${i}`);
    for (const path of paths) places.kinds.set(path, 'timeout');
    places.kinds.set('/manifests/good', 'store');
    declare(...paths.map(at), at('/manifests/good'));
    const settings = { RESOLVER_PROBE_TIMEOUT: '2', RESOLVER_CONCURRENCY: '4' };
    await withResolver(settings, async (base) => {
      const started = performance.now();
      const query = matchesOf(queryUrl(base, dataCode(1), '&maxResults=100'));
      await vi.waitFor(() => expect(places.seen).toHaveLength(4), 1500);
      await new Promise((resolve) => setTimeout(resolve, 250));
      expect(places.seen).toHaveLength(4);
      expect((await query).map(({ manifestId }) => manifestId)).toEqual(['good']);
      expect(performance.now() - started).toBeGreaterThan(5500);
    });
  });

  it('does not wait for many slow gateways of another site', async () => {
    const slow = Array.from({ length: 40 }, (_, i) => `/manifests/slow-${i}`);
    for (const path of slow) places.kinds.set(path, 'timeout');
    places.kinds.set('/manifests/good', 'store');
    const settings = { RESOLVER_PROBE_TIMEOUT: '1', RESOLVER_CONCURRENCY: '2' };
    await withResolver(settings, async (base) => {
      declare(...slow.map(at));
      const flooded = fetch(queryUrl(base, dataCode(1), '&maxResults=100'));
      await vi.waitFor(() => expect(places.seen).toHaveLength(2), 1500);
      declare(`https://repo1.example:${places.https}/manifests/good`);
      const query = matchesOf(queryUrl(base, dataCode(2)));
      expect((await query).map(({ manifestId }) => manifestId)).toEqual(['good']);
      // Its matches are neither confirmed nor refuted.
      const response = await flooded;
      expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
      expect(await response.json()).toEqual({
        detail: 'The repositories of the matching manifests did not respond in time',
      });
    });
  }, 30_000);

  it('fails for a gateway with a certificate for another name', async () => {
    places.kinds.set('/manifests/x', 'store');
    const other = await dnsServer({ '*': ['127.0.0.1'] });
    const client = new GatewayClient({
      allowed: new Set(['127.0.0.1']),
      ca: AUTHORITY,
      dnsServers: [other.address],
    });
    const limits = { timeoutMs: 2000, bytesMax: 32, head: true };
    const found = await client.get(`https://repo.example:${places.https}/manifests/x`, limits);
    const foreign = await client.get(`https://foreign.example:${places.https}/manifests/x`, limits);
    expect([found.kind, foreign.kind]).toEqual(['found', 'unreachable']);
    await client.close();
    other.close();
  });
});

describe('non-public addresses', () => {
  const literals = vectors<{ public: { ip: string; public: boolean }[] }>('addresses')
    .public.filter((entry) => !entry.public)
    .map(({ ip }) => (ip.includes(':') ? `[${ip}]` : ip));
  const disguised = [
    '0x7f.1',
    '2130706433',
    '017700000001',
    '127.1',
    '0',
    '[::ffff:7f00:1]',
    '[0:0:0:0:0:ffff:127.0.0.1]',
    'localhost',
    'localhost.',
    '127.0.0.1.',
    '①②⑦.0.0.1',
    'inside.example',
    'inside6.example',
    'mapped.example',
    'mixed.example',
    'metadata.example',
    'no-such-name.example',
  ];

  it('are refused in every notation, without a connection', async () => {
    const client = new GatewayClient({ allowed: new Set(), ca: AUTHORITY, dnsServers: [dns.address] });
    places.kinds.set('/manifests/x', 'store');
    for (const host of [...literals, ...disguised]) {
      const limits = { timeoutMs: 3000, bytesMax: 32, head: true };
      const got = await client.get(`https://${host}:${places.https}/manifests/x`, limits);
      const expected = /no-such|localhost/.test(host) ? /refused|unreachable/ : /refused/;
      expect([host, got.kind]).toEqual([host, expect.stringMatching(expected)]);
    }
    expect(places.seen).toEqual([]);
    await client.close();
  });

  it('are refused for queries and fetches', async () => {
    places.kinds.set('/manifests/x', 'store');
    const hosts = ['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', 'inside.example', 'repo.example'];
    const addresses = hosts.map((host) => `https://${host}:${places.https}/manifests/x`);
    declare(...addresses);
    await withResolver({ RESOLVER_TEST_ALLOW: '' }, async (base) => {
      expect(await matchesOf(queryUrl(base, dataCode(1), '&maxResults=100'))).toEqual([]);
      for (const gateway of addresses) {
        search.assets.set(ISCC_ID, { status: 200, body: JSON.stringify({ metadata: { gateway } }) });
        const response = await fetch(`${base}/v1/iscc/maiwhwza2d7a2mab/manifests/x`);
        expect([404, 500]).toContain(response.status);
      }
    });
    expect(places.seen).toEqual([]);
  });

  it('are used with the port that a test allows, and no other', async () => {
    places.kinds.set('/manifests/x', 'store');
    for (const host of ['127.0.0.1', 'repo.example']) {
      const gateway = `http://${host}:${places.http}/manifests/x`;
      declare(gateway);
      const found = (port: number) =>
        withResolver(
          { RESOLVER_TEST_ALLOW: `127.0.0.1:${port}, repo.example:${port}` },
          async (base) => (await matchesOf(queryUrl(base, dataCode(1)))).length,
        );
      expect([host, await found(places.http)]).toEqual([host, 1]);
      expect([host, await found(places.https)]).toEqual([host, 0]);
    }
  });

  it('are refused as redirect targets', async () => {
    places.kinds.set('/manifests/x', 'redirect-inside');
    declare(`https://repo.example:${places.https}/manifests/x`);
    await withResolver({}, async (base) => {
      expect(await matchesOf(queryUrl(base, dataCode(1)))).toEqual([]);
    });
    expect(places.seen).toHaveLength(1);
  });

  it.each([
    ['64:ff9b::808:808', true],
    ['64:ff9b:1::808:808', false],
    ['2002:808:808::', true],
    ['2002:c0a8:101::', false],
    ['2002:a00:1::', false],
    ['::7f00:1', false],
    ['::808:808', false],
    ['fe80::1%eth0', false],
    ['3fff::1', false],
    ['2001::1', false],
    ['5f00::1', false],
    ['4000::1', false],
    ['192.88.99.1', false],
    ['0.1.2.3', false],
    ['1.2.3', false],
    ['nonsense', false],
  ])('%s is public: %s', (address, expected) => {
    expect(isPublicAddress(address)).toBe(expected);
  });
});
