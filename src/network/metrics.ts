/** Metrics of the hubs that are followed. */
import {
  counter,
  durations,
  gauge,
  type Metric,
  type Sample,
  total,
} from '../platform/observe/instruments.js';
import type { Resource } from './hub-client.js';
import { HUB_STATES, type HubRow, REASONS } from './state.js';

/** At most this many hubs have labels of their own, by id. */
const HUBS_SHOWN_MAX = 200;
const OTHER_HUBS = 'others';

interface Followed {
  readonly hubId: number;
  readonly row: HubRow;
}

export interface NetworkMetrics {
  readonly all: readonly Metric[];
  violation(hubId: number, kind: string): void;
  /** A batch of entries was judged and committed. */
  committed(seconds: number): void;
  /** `hubId` is absent for the hub list. */
  request(hubId: number | undefined, resource: Resource, outcome: string): void;
  succeeded(hubId: number): void;
}

export interface MetricSources {
  /** The present rows. */
  readonly hubs: () => readonly Followed[];
  /** Seconds since the last good reading of the hub list; `undefined` before the first. */
  readonly listAge: () => number | undefined;
}

/** Upper bounds: a batch has up to 4,096 entries. */
const COMMIT_BUCKETS_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

export function networkMetrics({ hubs, listAge }: MetricSources): NetworkMetrics {
  const violations = counter('isccd_network_violations_total', 'Alarms by kind', ['hub_id', 'kind']);
  const commits = durations(
    'isccd_network_commit_duration_seconds',
    'Duration of judging and committing a batch of entries',
    [],
    COMMIT_BUCKETS_SECONDS,
  );
  const requests = counter('isccd_network_requests_total', 'Requests to hubs', [
    'hub_id',
    'resource',
    'outcome',
  ]);
  const successes = new Map<number, number>();
  const shown = () => [...hubs()].sort((a, b) => a.hubId - b.hubId).slice(0, HUBS_SHOWN_MAX);
  const label = (hubId: number | undefined) => {
    if (hubId === undefined) return 'list';
    return shown().some((hub) => hub.hubId === hubId) ? String(hubId) : OTHER_HUBS;
  };
  const perHub = (name: string, help: string, read: (row: HubRow) => number) =>
    gauge(name, help, ['hub_id'], () =>
      shown().map(({ hubId, row }) => ({ labels: { hub_id: String(hubId) }, value: read(row) })),
    );
  return {
    all: [
      ...[violations, requests, commits],
      perHub('isccd_network_cursor', 'Entries applied', (row) => row.cursor),
      perHub('isccd_network_tree_size', 'Entries of the accepted checkpoint', (row) => row.head?.size ?? 0),
      gauge('isccd_network_hub_state', '1 for the present state', ['hub_id', 'state'], () =>
        shown().flatMap(({ hubId, row }) => states(hubId, row)),
      ),
      total('isccd_network_entries_total', 'Entries by reason', ['hub_id', 'reason'], () =>
        shown().flatMap(({ hubId, row }) =>
          REASONS.map((reason) => ({
            labels: { hub_id: String(hubId), reason },
            value: row.counts[reason] ?? 0,
          })),
        ),
      ),
      total('isccd_network_anomalies_total', 'Anomalies of hubs by kind', ['hub_id', 'kind'], () =>
        shown().flatMap(({ hubId, row }) => anomalies(hubId, row)),
      ),
      gauge('isccd_network_hub_list_age_seconds', 'Time since the hub list was read', [], () => {
        const age = listAge();
        return age === undefined ? [] : [{ labels: {}, value: age }];
      }),
      gauge('isccd_network_last_success_timestamp_seconds', 'Time of the last good poll', ['hub_id'], () =>
        [...successes].map(([hubId, seconds]) => ({ labels: { hub_id: label(hubId) }, value: seconds })),
      ),
    ],
    violation: (hubId, kind) => violations.inc({ hub_id: label(hubId), kind }),
    committed: (seconds) => commits.observe(seconds),
    request: (hubId, resource, outcome) => requests.inc({ hub_id: label(hubId), resource, outcome }),
    succeeded: (hubId) => void successes.set(hubId, Date.now() / 1000),
  };
}

function anomalies(
  hubId: number,
  { anomalies: { future, order }, key_changes = [] }: HubRow,
): Sample<'hub_id' | 'kind'>[] {
  return Object.entries({ future, order, key_changed: key_changes.length }).map(([kind, value]) => ({
    labels: { hub_id: String(hubId), kind },
    value,
  }));
}

function states(hubId: number, row: HubRow): Sample<'hub_id' | 'state'>[] {
  return HUB_STATES.map((state) => ({
    labels: { hub_id: String(hubId), state },
    value: state === row.state ? 1 : 0,
  }));
}
