/** How long the resolver caches what it knows about gateways and the search service, and what it reports. */
import { expect, it, onTestFinished, vi } from 'vitest';
import { DeclaredManifests } from '../../src/services/resolver/declared-manifests.js';
import { StoreUnavailable } from '../../src/services/resolver/errors.js';
import type { GatewayClient } from '../../src/services/resolver/gateway-client.js';
import type { ManifestSource } from '../../src/services/resolver/manifests.js';
import { CACHED_MAX, Prober, UNREACHABLE_SECONDS } from '../../src/services/resolver/prober.js';
import { RecentManifests } from '../../src/services/resolver/recent.js';
import type { SearchBackend } from '../../src/services/resolver/search-backend.js';
import { ResolverService } from '../../src/services/resolver/service.js';
import { dataCode } from './support/resolver.js';

const reader = { label: () => Promise.resolve(null) };

it('reports a change of the search service after 15 s', async () => {
  let now = 1_700_000_000_000;
  let isReady = true;
  let checks = 0;
  const backend: SearchBackend = {
    search: async () => [],
    gateway: async () => undefined,
    units: async () => undefined,
    isccIdsOf: async () => [],
    isReady: async () => {
      checks += 1;
      return isReady;
    },
    close: async () => {},
  };
  const manifests = { isReady: async () => true } as ManifestSource;
  const service = new ResolverService({
    backend,
    manifests,
    recent: new RecentManifests(),
    reader,
    now: () => now,
  });
  expect((await service.status()).status).toBe('ok');
  isReady = false;
  now += 14_999;
  expect((await service.status()).status).toBe('ok');
  expect(checks).toBe(1);
  now += 1;
  expect((await service.status()).status).toBe('degraded');
  isReady = true;
  now += 15_000;
  expect((await service.status()).status).toBe('ok');
});

it('caches a bounded number of probe results, dropping the oldest', async () => {
  let requests = 0;
  const get = async () => {
    requests += 1;
    return { kind: 'refused', reason: 'test' } as const;
  };
  const prober = new Prober({ get } as unknown as GatewayClient, { timeoutMs: 1000, parallel: 100 });
  for (let at = 0; at <= CACHED_MAX; at += 1) await prober.isStore(`https://a.example/${at}`);
  expect(requests).toBe(CACHED_MAX + 1);
  await prober.isStore(`https://a.example/${CACHED_MAX}`);
  expect(requests).toBe(CACHED_MAX + 1);
  await prober.isStore('https://a.example/0');
  expect(requests).toBe(CACHED_MAX + 2);
});

it('reports a store that fails while other manifests match', async () => {
  const hits = ['https://a.example/1', 'https://b.example/1'].map((gateway) => ({
    isccId: 'ISCC:MAIWHWZA2D7A2MAB',
    gateway,
    score: 1,
  }));
  const failure = new StoreUnavailable('down');
  const manifests = {
    manifestIdAt: (gateway: string) => gateway,
    isStore: async (gateway: string) => {
      if (gateway === hits[0]?.gateway) throw failure;
      return true;
    },
  } as unknown as ManifestSource;
  const backend = { search: async () => hits } as unknown as SearchBackend;
  const leftOut: unknown[] = [];
  const onLeftOut = (error: unknown) => void leftOut.push(error);
  const service = new ResolverService({
    backend,
    manifests,
    recent: new RecentManifests(),
    reader,
    onLeftOut,
  });
  const found = await service.matches({ alg: 'io.iscc.v0', value: dataCode(1) }, 10, 'https://r.example');
  expect(found.map(({ manifestId }) => manifestId)).toEqual([hits[1]?.gateway]);
  expect(leftOut).toEqual([failure]);
});

it('does not remember for days what it learnt while the clock was ahead', async () => {
  const day = 86_400_000;
  vi.useFakeTimers({ toFake: ['Date', 'performance'], now: Date.now() + 3 * day });
  onTestFinished(() => void vi.useRealTimers());
  const later = (ms: number) => vi.advanceTimersByTime(ms);
  let probes = 0;
  const get = async () => {
    probes += 1;
    return { kind: 'unreachable', reason: 'test' } as const;
  };
  const prober = new Prober({ get } as unknown as GatewayClient, { timeoutMs: 1000, parallel: 1 });
  let pages = 0;
  const declared = new DeclaredManifests(async (_, __, condition) => {
    if (condition !== undefined) return undefined;
    pages += 1;
    return Buffer.from('');
  });
  await prober.isStore('https://a.example/1');
  await declared.isccIdsOf('a');
  vi.setSystemTime(Date.now() - 3 * day);
  later(UNREACHABLE_SECONDS * 1000);
  await prober.isStore('https://a.example/1');
  await declared.isccIdsOf('a');
  expect([probes, pages]).toEqual([2, 2]);
});
