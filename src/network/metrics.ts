/** Metrics of the hubs that are followed. */
import { counter, gauge, type Metric, type Sample } from '../observe/instruments.js';
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
  anomaly(hubId: number, kind: string): void;
  /** `hubId` is absent for the hub list. */
  request(hubId: number | undefined, resource: Resource, outcome: string): void;
  succeeded(hubId: number): void;
}

/** @param hubs returns the present rows */
export function networkMetrics(hubs: () => readonly Followed[]): NetworkMetrics {
  const violations = counter('isccd_network_violations_total', 'Alarms by kind', ['hub_id', 'kind']);
  const anomalies = counter('isccd_network_anomalies_total', 'Anomalies of hubs by kind', ['hub_id', 'kind']);
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
      ...[violations, anomalies, requests],
      perHub('isccd_network_cursor', 'Entries applied', (row) => row.cursor),
      perHub('isccd_network_tree_size', 'Entries of the accepted checkpoint', (row) => row.head?.size ?? 0),
      gauge('isccd_network_hub_state', '1 for the present state', ['hub_id', 'state'], () =>
        shown().flatMap(({ hubId, row }) => states(hubId, row)),
      ),
      gauge('isccd_network_entries_total', 'Entries by reason', ['hub_id', 'reason'], () =>
        shown().flatMap(({ hubId, row }) =>
          REASONS.map((reason) => ({
            labels: { hub_id: String(hubId), reason },
            value: row.counts[reason] ?? 0,
          })),
        ),
      ),
      gauge('isccd_network_last_success_timestamp_seconds', 'Time of the last good poll', ['hub_id'], () =>
        [...successes].map(([hubId, seconds]) => ({ labels: { hub_id: label(hubId) }, value: seconds })),
      ),
    ],
    violation: (hubId, kind) => violations.inc({ hub_id: label(hubId), kind }),
    anomaly: (hubId, kind) => anomalies.inc({ hub_id: label(hubId), kind }),
    request: (hubId, resource, outcome) => requests.inc({ hub_id: label(hubId), resource, outcome }),
    succeeded: (hubId) => void successes.set(hubId, Date.now() / 1000),
  };
}

function states(hubId: number, row: HubRow): Sample<'hub_id' | 'state'>[] {
  return HUB_STATES.map((state) => ({
    labels: { hub_id: String(hubId), state },
    value: state === row.state ? 1 : 0,
  }));
}
