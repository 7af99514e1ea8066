/** The network's part of `GET /status`. */
import { type Alarm, type Counts, errorText, type HubRow, type HubState, isOk, REASONS } from './state.js';

export interface ListStatus {
  readonly source: 'url' | 'file';
  /** ISO 8601; `null` before the first good reading. */
  readonly read: string | null;
  readonly ok: boolean;
}

export interface HubStatus {
  readonly hub_id: number;
  readonly url: string;
  readonly cursor: number;
  readonly last_poll: string | null;
  readonly ok: boolean;
  readonly error: string | null;
  readonly counts: Counts;
  readonly state: HubState;
  readonly origin: string;
  readonly tree_size: number | null;
  readonly root: string | null;
  readonly key_id: string | null;
  readonly key_source: 'list' | 'did' | null;
  readonly since: HubRow['since'];
  readonly next_poll: string | null;
  readonly alarm: Alarm | null;
  readonly anomalies: HubRow['anomalies'];
}

export interface NetworkStatus {
  readonly list: ListStatus;
  readonly hubs: readonly HubStatus[];
}

/** @param nextPollMs time of the next poll, in ms since 1970; none during a poll */
export function hubStatus(hubId: number, row: HubRow, nextPollMs: number | undefined): HubStatus {
  const counts = Object.fromEntries(REASONS.map((reason) => [reason, row.counts[reason] ?? 0])) as Counts;
  return {
    hub_id: hubId,
    url: row.url,
    cursor: row.cursor,
    last_poll: row.last_poll,
    ok: isOk(row),
    error: errorText(row),
    counts,
    state: row.state,
    origin: row.origin,
    tree_size: row.head?.size ?? null,
    root: row.head?.root ?? null,
    key_id: row.head?.key_id ?? null,
    key_source: row.head?.key_source ?? null,
    since: row.since,
    next_poll: nextPollMs === undefined ? null : new Date(nextPollMs).toISOString(),
    alarm: row.alarm,
    anomalies: row.anomalies,
  };
}
