/** Builds the resolver from its configuration and the services of this process. */

import type { InProcessIndexes } from '../../c2pa/local-search.js';
import { ManifestReader, warmReader } from '../../c2pa/manifest-reader.js';
import { SCHEMA_ATTRIBUTION } from '../../c2pa/schema.js';
import { SearchManifestIndex } from '../../c2pa/search-index-port.js';
import { trustListsOf } from '../../c2pa/trust-lists.js';
import { SearchClient } from '../../client/search-client.js';
import type { ContentCoder } from '../../content/coder.js';
import { References } from '../../content/reference.js';
import { ASSET_HEADERS } from '../../content/sent-filename.js';
import { type AllowedHosts, namedHosts } from '../../http/head/allowed-hosts.js';
import type { CorsPolicy, Readiness, ServiceApp } from '../../http/routing/service.js';
import type { FollowedNetwork } from '../../network/aggregator.js';
import { isLoopback } from '../../platform/config/listen.js';
import { indexNames, type ResolverConfig } from '../../platform/config/resolver.js';
import { errorTracking } from '../../platform/observe/error-report.js';
import type { Logger } from '../../platform/observe/log.js';
import { present } from '../../platform/present.js';
import { version } from '../../platform/version.js';
import { errorForm } from './errors.js';
import { GatewayClient, type GatewayOptions } from './gateway-client.js';
import { HttpBackend } from './http-backend.js';
import { InProcessBackend } from './in-process-backend.js';
import { type LocalManifests, ManifestSource } from './manifests.js';
import { ResolverMetrics } from './metrics.js';
import { Prober } from './prober.js';
import { RecentManifests } from './recent.js';
import { AddressReader } from './rights/address-reader.js';
import { RightsLookUp } from './rights/look-up.js';
import { BODY_BYTES_MAX, type RouteOptions, resolverRoutes, TITLE } from './routes.js';
import type { SearchBackend } from './search-backend.js';
import { ResolverService } from './service.js';
import { SeveralIndexes } from './several-indexes.js';
import { StoreClient } from './store-client.js';
import { ManifestWatches } from './watches/manifest-watches.js';

const CORS_MAX_AGE_SECONDS = 86_400;
const REQUEST_HEADERS = [
  ...['Content-Type', 'Accept', 'If-None-Match', 'Authorization', 'X-API-Key'],
  ...ASSET_HEADERS,
];
/** The client of the resolver tries again. */
const NO_RETRY = { attempts: 1 };
const SEARCH_URL_DEFAULT = 'http://127.0.0.1:8010';

/** Services of this process that the resolver calls without HTTP. */
export interface InProcessServices {
  readonly search?: InProcessIndexes | undefined;
  /** Identifies the indexes of `search`, also after a restart. */
  readonly searchId?: string | undefined;
  readonly manifests?: LocalManifests | undefined;
  /** The hubs that the search service follows. */
  readonly network?: FollowedNetwork | undefined;
  /** Index of the network that the search service follows. */
  readonly networkIndex?: string | undefined;
  readonly coder?: ContentCoder | undefined;
}

/**
 * @param network for tests: other DNS servers, another certificate authority
 * @throws if the index in this process can't be created
 */
export async function resolverApp(
  config: ResolverConfig,
  { search, manifests: local, networkIndex, coder }: InProcessServices = {},
  network: Pick<GatewayOptions, 'dnsServers' | 'ca'> = {},
  log?: Logger,
): Promise<ServiceApp> {
  const backend = await backendOf(config, { search, networkIndex }, log);
  const allowed = new Set(config.testAllow);
  const metrics = new ResolverMetrics(() => service.dependencies());
  const gateways = new GatewayClient({ allowed, ...network, onFetched: metrics.gateway });
  const parallel = config.probeConcurrency;
  const references = new References({ allowed, parallel, ...network });
  const content = config.byContent && coder !== undefined ? { coder, references } : undefined;
  const prober = new Prober(gateways, { timeoutMs: config.probeTimeoutSeconds * 1000, parallel });
  const fetchTimeoutMs = config.fetchTimeoutSeconds * 1000;
  const remote = remoteStore(config, fetchTimeoutMs);
  const stores = [local, remote].filter((store) => store !== undefined);
  const manifests = new ManifestSource({ gateways, prober, stores, fetchTimeoutMs, parallel });
  const reader = readerOf(log, coder);
  const service: ResolverService = new ResolverService({
    backend,
    reader,
    manifests,
    recent: new RecentManifests(),
    scoreMin: config.matchThreshold,
    onQuery: metrics.query,
    onLeftOut: (error) =>
      log?.warn({ err: error }, 'a store failed; its manifests are left out of the matches'),
  });
  const addresses = new AddressReader(gateways, { timeoutMs: fetchTimeoutMs, parallel });
  const watches = watchesOf(config, search, backend);
  const trust = trusting(config, { service, reader, addresses, coder });
  return {
    name: 'resolver',
    title: TITLE,
    description: `Finds the C2PA manifests of content by its ISCC and fetches them. ${SCHEMA_ATTRIBUTION}`,
    version,
    routes: resolverRoutes(service, {
      ...trust,
      content,
      coder: checkingCoder(config, coder),
      reader,
      watches,
    }),
    errors: errorForm,
    unreadBody: { bytesMax: BODY_BYTES_MAX, lengthRequired: true },
    cors: corsPolicy(watches !== undefined),
    responseHeaders: { 'Referrer-Policy': 'same-origin' },
    proxies: config.proxies,
    ...present({ allowedHosts: allowedHosts(config) }),
    readiness: () => readinessOf(service, reader),
    metrics: metrics.all,
    ...(await errorTracking('resolver', config)),
    docs: { tags: tagsOf(trust.rights !== undefined, watches !== undefined) },
    endStreams: () => watches?.close(),
    close: async () => {
      await gateways.close();
      await remote?.close();
      await references.close();
      await backend.close();
    },
  };
}

function corsPolicy(hasWatches: boolean): CorsPolicy {
  return {
    origins: ['*'],
    methods: ['GET', 'HEAD', 'POST', ...(hasWatches ? ['PUT', 'DELETE'] : []), 'OPTIONS'],
    closedMethods: [],
    requestHeaders: REQUEST_HEADERS,
    exposedHeaders: ['ETag', 'Retry-After'],
    maxAgeSeconds: CORS_MAX_AGE_SECONDS,
    refusedStatus: 400,
  };
}

/** Groups of routes in the documentation. */
function tagsOf(hasRights: boolean, hasWatches: boolean): Readonly<Record<string, string>> {
  return {
    matches: 'Find manifests by soft binding.',
    manifests: 'Fetch manifests from the gateways that store them.',
    ...(hasRights && { rights: 'Who says what about mining and training of a content (extension).' }),
    ...(hasWatches && { watches: 'Report manifests of a content when they are declared (extension).' }),
    services: 'Algorithms, capabilities and status of the service.',
    probes: 'Health of the service.',
  };
}

/**
 * The service has no data of its own. Without its dependencies it responds with the reason, which an instance that a load
 * balancer has removed could not. So it stays ready, and says what is missing.
 */
async function readinessOf(service: ResolverService, { sandbox }: ManifestReader): Promise<Readiness> {
  const { isSearchReady, isStoreReady } = await service.dependencies();
  const details = present({
    search: isSearchReady ? undefined : 'unavailable',
    store: isStoreReady ? undefined : 'unavailable',
    sandbox,
  });
  return { reason: undefined, details };
}

/** Codes the files that the start page checks: those of clients who may query with files, or who are on this machine. */
function checkingCoder(
  { byContent, host, proxies, publicUrl }: ResolverConfig,
  coder: ContentCoder | undefined,
): ContentCoder | undefined {
  const isPrivate = isLoopback(host) && proxies === 0 && publicUrl === undefined;
  return byContent || isPrivate ? coder : undefined;
}

/**
 * Endpoints contain the host of the request unless the public address is known. Behind a proxy, the proxy decides which
 * names it serves.
 */
function allowedHosts({ allowedHosts: named, publicUrl, proxies }: ResolverConfig): AllowedHosts {
  if (named !== undefined) return namedHosts(named);
  return publicUrl === undefined && proxies === 0 ? 'local' : undefined;
}

/** Its first process starts at once if requests may need it: those with files. */
function readerOf(log: Logger | undefined, coder: ContentCoder | undefined): ManifestReader {
  return coder !== undefined && log !== undefined ? warmReader(log) : new ManifestReader(log);
}

/** What depends on whom the resolver trusts. */
function trusting(
  { publicUrl, rights: isOn, trustAnchorsPem, trustUpdates }: ResolverConfig,
  parts: {
    readonly service: ResolverService;
    readonly reader: ManifestReader;
    readonly addresses: AddressReader;
    readonly coder: ContentCoder | undefined;
  },
): Pick<RouteOptions, 'publicUrl' | 'rights' | 'validator'> {
  const { service, reader, addresses, coder } = parts;
  const validator = reader.validator(trustListsOf({ trustAnchorsPem, trustUpdates }));
  const lookUp = new RightsLookUp(service, { reader, validator, addresses });
  return { publicUrl, validator, ...(isOn && coder !== undefined && { rights: { lookUp, coder } }) };
}

function remoteStore(
  { storeUrl: url, storeAddress: address }: ResolverConfig,
  timeoutMs: number,
): StoreClient | undefined {
  return url === undefined ? undefined : new StoreClient({ url, address: address ?? url, timeoutMs });
}

/** Watches at the first index, to which stores write; `undefined` if they are off. */
function watchesOf(
  config: ResolverConfig,
  search: InProcessIndexes | undefined,
  backend: SearchBackend,
): ManifestWatches | undefined {
  const { searchUrl, searchApiKey: apiKey, searchTimeoutSeconds, matchThreshold: scoreMin } = config;
  const [index] = indexNames(config.searchIndex);
  if (!config.watches || index === undefined) return undefined;
  const timeoutMs = searchTimeoutSeconds * 1000;
  const remote = () =>
    new SearchClient(searchUrl ?? SEARCH_URL_DEFAULT, { ...present({ apiKey }), timeoutMs, retry: NO_RETRY });
  const api = (searchUrl === undefined ? search?.watches : undefined) ?? remote();
  return new ManifestWatches({ api, index, backend, scoreMin });
}

/** `RESOLVER_SEARCH_URL` if set, else the search service in this process, else the one on the default port. */
async function backendOf(
  config: ResolverConfig,
  { search, networkIndex }: InProcessServices,
  log: Logger | undefined,
): Promise<SearchBackend> {
  const { searchUrl, searchIndex, searchApiKey: apiKey } = config;
  const inProcess = searchUrl === undefined ? search : undefined;
  const names = indexNames(searchIndex, inProcess && networkIndex);
  const backends = inProcess
    ? names.map((index) => new InProcessBackend(inProcess.local, index, index === networkIndex))
    : names.map((index) => {
        const timeoutMs = config.searchTimeoutSeconds * 1000;
        return new HttpBackend({ url: searchUrl ?? SEARCH_URL_DEFAULT, index, apiKey, timeoutMs });
      });
  const [first] = names;
  if (inProcess && first !== undefined && first !== networkIndex)
    await new SearchManifestIndex(inProcess, first).prepare();
  const [only] = backends;
  if (backends.length === 1 && only !== undefined) return only;
  return new SeveralIndexes(backends, (error) =>
    log?.warn({ err: error }, 'an index failed; it is left out'),
  );
}
