/** Metrics of the service, in addition to its request metrics. */
import { counter, durations, gauge, type Metric } from '../../platform/observe/instruments.js';
import type { Fetched } from './gateway-client.js';
import type { Dependencies } from './service.js';

const GATEWAY_BUCKETS_SECONDS = [0.01, 0.05, 0.1, 0.5, 1, 5, 10];

export class ResolverMetrics {
  readonly #queries = counter(
    'isccd_resolver_queries_total',
    'Queries by soft binding or content, by whether a manifest was found',
    ['outcome'],
  );
  readonly #gateways = counter(
    'isccd_resolver_gateway_requests_total',
    'Requests to gateways: probes of the first bytes and fetches of manifests, by outcome',
    ['purpose', 'outcome'],
  );
  readonly #durations = durations(
    'isccd_resolver_gateway_duration_seconds',
    'Duration of requests to gateways',
    ['purpose'],
    GATEWAY_BUCKETS_SECONDS,
  );

  readonly #dependencies: Metric;

  /** @param dependencies what the service needs from others */
  constructor(dependencies: () => Promise<Dependencies>) {
    this.#dependencies = gauge(
      'isccd_resolver_dependency_unavailable',
      '1 while a service that the resolver needs does not respond',
      ['dependency'],
      async () => {
        const { isSearchReady, isStoreReady } = await dependencies();
        return Object.entries({ search: isSearchReady, store: isStoreReady }).map(
          ([dependency, isReady]) => ({
            labels: { dependency },
            value: Number(!isReady),
          }),
        );
      },
    );
    for (const outcome of ['found', 'none']) this.#queries.inc({ outcome }, 0);
    for (const purpose of ['probe', 'fetch'] as const)
      for (const outcome of ['found', 'refused', 'unreachable']) this.#gateways.inc({ purpose, outcome }, 0);
  }

  readonly query = (matches: number): void => {
    this.#queries.inc({ outcome: matches > 0 ? 'found' : 'none' });
  };

  readonly gateway = (purpose: 'probe' | 'fetch', outcome: Fetched['kind'], seconds: number): void => {
    this.#gateways.inc({ purpose, outcome });
    this.#durations.observe({ purpose }, seconds);
  };

  get all(): Metric[] {
    return [this.#queries, this.#gateways, this.#durations, this.#dependencies];
  }
}
