/** Builds the resolver from its configuration and the services of this process. */
import { SCHEMA_ATTRIBUTION } from '../c2pa/schema.js';
import { SearchManifestIndex } from '../c2pa/search-index-port.js';
import type { LocalSearchApi } from '../client/search-api.js';
import { indexNames, type ResolverConfig } from '../config/resolver.js';
import type { ServiceApp } from '../http/routing/service.js';
import { errorTracking } from '../observe/error-report.js';
import { version } from '../version.js';
import { errorForm } from './errors.js';
import { GatewayClient, type GatewayOptions } from './gateway-client.js';
import { HttpBackend } from './http-backend.js';
import { InProcessBackend } from './in-process-backend.js';
import { type LocalManifests, ManifestSource } from './manifests.js';
import { Prober } from './prober.js';
import { RecentManifests } from './recent.js';
import { BODY_BYTES_MAX, resolverRoutes, TITLE } from './routes.js';
import type { SearchBackend } from './search-backend.js';
import { ResolverService } from './service.js';
import { SeveralIndexes } from './several-indexes.js';

const CORS_MAX_AGE_SECONDS = 86_400;
const SEARCH_URL_DEFAULT = 'http://127.0.0.1:8010';

/** Services of this process that the resolver calls without HTTP. */
export interface InProcessServices {
  readonly search?: LocalSearchApi | undefined;
  readonly manifests?: LocalManifests | undefined;
  /** Index of the network that the search service follows. */
  readonly networkIndex?: string | undefined;
}

/**
 * @param network for tests: other DNS servers, another certificate authority
 * @throws if the index in this process can't be created
 */
export async function resolverApp(
  config: ResolverConfig,
  { search, manifests: local, networkIndex }: InProcessServices = {},
  network: Pick<GatewayOptions, 'dnsServers' | 'ca'> = {},
): Promise<ServiceApp> {
  const backend = await backendOf(config, search, networkIndex);
  const gateways = new GatewayClient({ allowed: new Set(config.testAllow), ...network });
  const parallel = config.probeConcurrency;
  const prober = new Prober(gateways, { timeoutMs: config.probeTimeoutSeconds * 1000, parallel });
  const manifests = new ManifestSource({
    gateways,
    prober,
    local,
    fetchTimeoutMs: config.fetchTimeoutSeconds * 1000,
    parallel,
  });
  const service = new ResolverService({ backend, manifests, recent: new RecentManifests() });
  return {
    name: 'resolver',
    title: TITLE,
    description: `Finds the C2PA manifests of content by its ISCC and fetches them. ${SCHEMA_ATTRIBUTION}`,
    version,
    routes: resolverRoutes(service, { publicUrl: config.publicUrl }),
    errors: errorForm,
    unreadBody: { bytesMax: BODY_BYTES_MAX, lengthRequired: true },
    cors: {
      origins: ['*'],
      methods: ['GET', 'HEAD', 'POST', 'OPTIONS'],
      closedMethods: [],
      requestHeaders: ['Content-Type', 'Accept', 'If-None-Match'],
      exposedHeaders: ['ETag', 'Retry-After'],
      maxAgeSeconds: CORS_MAX_AGE_SECONDS,
      refusedStatus: 400,
    },
    responseHeaders: { 'Referrer-Policy': 'same-origin' },
    proxies: config.proxies,
    ...errorTracking('resolver', config),
    docs: { page: '/docs', json: '/openapi/openapi.json', yaml: '/openapi/openapi.yaml' },
    close: async () => {
      await gateways.close();
      await backend.close();
    },
  };
}

/** `RESOLVER_SEARCH_URL` if set, else the search service in this process, else the one on the default port. */
async function backendOf(
  config: ResolverConfig,
  search: LocalSearchApi | undefined,
  networkIndex: string | undefined,
): Promise<SearchBackend> {
  const { searchUrl, searchIndex, searchApiKey: apiKey } = config;
  const isInProcess = searchUrl === undefined && search !== undefined;
  const names = indexNames(searchIndex, isInProcess ? networkIndex : undefined);
  const backends = isInProcess
    ? names.map((index) => new InProcessBackend(search, index))
    : names.map((index) => {
        const timeoutMs = config.searchTimeoutSeconds * 1000;
        return new HttpBackend({ url: searchUrl ?? SEARCH_URL_DEFAULT, index, apiKey, timeoutMs });
      });
  const [first] = names;
  if (isInProcess && first !== undefined && first !== networkIndex)
    await new SearchManifestIndex(search, first).prepare();
  const [only] = backends;
  return backends.length === 1 && only !== undefined ? only : new SeveralIndexes(backends);
}
