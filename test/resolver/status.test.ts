/** How long the resolver caches what it knows about gateways and the search service. */
import { expect, it } from 'vitest';
import type { GatewayClient } from '../../src/resolver/gateway-client.js';
import type { ManifestSource } from '../../src/resolver/manifests.js';
import { CACHED_MAX, Prober } from '../../src/resolver/prober.js';
import { RecentManifests } from '../../src/resolver/recent.js';
import type { SearchBackend } from '../../src/resolver/search-backend.js';
import { ResolverService } from '../../src/resolver/service.js';

it('reports a change of the search service after 15 s', async () => {
  let now = 1_700_000_000_000;
  let isReady = true;
  let checks = 0;
  const backend: SearchBackend = {
    search: async () => [],
    gateway: async () => undefined,
    isccIdsOf: async () => [],
    isReady: async () => {
      checks += 1;
      return isReady;
    },
    close: async () => {},
  };
  const manifests = {} as ManifestSource;
  const service = new ResolverService({ backend, manifests, recent: new RecentManifests(), now: () => now });
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
