/**
 * What is known of a hub, and how the outcome of a poll changes it. Pure: no I/O, and the time is an argument, so that every
 * order of outcomes can be tested.
 */

/** The states of a hub, see `docs/explanation/network.md`. */
export const HUB_STATES = [
  'waiting',
  'catching_up',
  'following',
  'unreachable',
  'unverified',
  'unverifiable',
  'rolled_back',
  'frozen',
  'paused',
] as const;
export type HubState = (typeof HUB_STATES)[number];

/** Reasons that entries are counted under. The first five are those of the reference. */
export const REASONS = [
  'ok',
  'deletion',
  'unknown_schema',
  'malformed',
  'realm_mismatch',
  'oversize',
  'hub_mismatch',
  'bad_signature',
  'nonce_reuse',
  'orphan',
  'unauthorized',
  'conflict',
] as const;
export type Counts = Readonly<Record<(typeof REASONS)[number], number>>;

/** An accepted tree head. */
export interface LogHead {
  readonly size: number;
  /** Base64. */
  readonly root: string;
  /** The signed note, verbatim. */
  readonly note: string;
  /** Multibase text of the key that signed. */
  readonly key: string;
  readonly key_id: string;
  readonly key_source: 'list' | 'did';
  /** ISO 8601. */
  readonly time: string;
}

/** A head was signed by another key than the one before. */
export interface KeyChange {
  /** Key ids in hex. */
  readonly before: string;
  readonly now: string;
  readonly source: LogHead['key_source'];
  readonly size: number;
  /** ISO 8601. */
  readonly time: string;
}

export type ViolationKind = 'fork' | 'replaced';

export interface Alarm {
  readonly kind: ViolationKind | 'unverified' | 'unverifiable' | 'rolled_back' | 'unreachable';
  /** ISO 8601. */
  readonly since: string;
  /** Number of the stored contradiction; `null` if nothing is proven. */
  readonly evidence: number | null;
}

/** A hub's row in the index. `cursor`, `counts`, `anomalies` and `last_id` are maintained by the engine. */
export interface HubRow {
  readonly url: string;
  readonly origin: string;
  readonly state: HubState;
  /** Entries judged and applied. */
  readonly cursor: number;
  readonly head: LogHead | null;
  /** The first head that was accepted: guarantees hold from there on. */
  readonly since: { readonly size: number; readonly time: string } | null;
  readonly counts: Counts;
  readonly anomalies: { readonly future: number; readonly order: number };
  readonly last_id?: string;
  readonly alarm: Alarm | null;
  /** ISO 8601 with microseconds; `null` before the first poll. */
  readonly last_poll: string | null;
  /** No space was left for the last commit. */
  readonly full: boolean;
  /** The last heads that were signed by another key than the one before. */
  readonly key_changes?: readonly KeyChange[];
  /** Keys of the did:web document, and when it was read. */
  readonly did?: { readonly keys: readonly string[]; readonly read: string };
}

/** The row of a hub that was never polled. */
export function newRow({ url, origin }: { readonly url: string; readonly origin: string }): HubRow {
  const counts = Object.fromEntries(REASONS.map((reason) => [reason, 0])) as Counts;
  return {
    url,
    origin,
    state: 'waiting',
    cursor: 0,
    head: null,
    since: null,
    counts,
    anomalies: { future: 0, order: 0 },
    alarm: null,
    last_poll: null,
    full: false,
  };
}

/** How a poll ended. */
export type Outcome =
  /** The cursor is at the head, or still below it. */
  | { readonly kind: 'progress' }
  | { readonly kind: 'unreachable'; readonly reason: string; readonly retryAfterMs?: number }
  | { readonly kind: 'unverified'; readonly reason: string }
  | { readonly kind: 'unverifiable'; readonly reason: string }
  | { readonly kind: 'rolled_back' }
  /** The contradiction is stored under this number. */
  | { readonly kind: 'frozen'; readonly violation: ViolationKind; readonly evidence: number }
  /** No space left: the hub is not at fault. */
  | { readonly kind: 'full' }
  /** Stopped by a shutdown; nothing is known. */
  | { readonly kind: 'stopped' };

/** What a hub remembers between polls, in memory only. Times in ms of the monotonic clock. */
export interface Memory {
  readonly failures: number;
  /** Since when the present failing state lasts. */
  readonly failingSinceMs: number | undefined;
}

export const NO_MEMORY: Memory = { failures: 0, failingSinceMs: undefined };

export type Notice =
  | { readonly type: 'alarm'; readonly alarm: Alarm }
  | { readonly type: 'alarm-ended'; readonly kind: Alarm['kind'] };

export interface Settled {
  readonly row: HubRow;
  readonly memory: Memory;
  readonly delayMs: number;
  readonly notices: readonly Notice[];
}

export interface Clock {
  readonly monotonicMs: number;
  /** ISO 8601, for display only. */
  readonly wall: string;
  /** 0 to 1. */
  readonly random: number;
}

const BACKOFF_MS_MAX = 900_000;
const FROZEN_DELAY_MS = 3_600_000;
/** How long a failing state lasts before it raises an alarm. */
const ALARM_AFTER_MS: Readonly<Record<string, number>> = {
  unverified: 600_000,
  unverifiable: 600_000,
  rolled_back: 600_000,
  unreachable: 3_600_000,
};

/** The row, delay and notices after a poll. */
export function settle(
  row: HubRow,
  memory: Memory,
  outcome: Outcome,
  intervalMs: number,
  clock: Clock,
): Settled {
  const polled = { ...row, last_poll: clock.wall, full: outcome.kind === 'full' };
  // Only the operator ends a freeze.
  if (row.state === 'frozen') return { row: polled, memory, delayMs: FROZEN_DELAY_MS, notices: [] };
  switch (outcome.kind) {
    case 'progress':
      return succeeded(polled, intervalMs, clock);
    case 'frozen': {
      const alarm: Alarm = { kind: outcome.violation, since: clock.wall, evidence: outcome.evidence };
      return {
        row: { ...polled, state: 'frozen', alarm },
        memory: NO_MEMORY,
        delayMs: FROZEN_DELAY_MS,
        notices: [{ type: 'alarm', alarm }],
      };
    }
    case 'rolled_back':
      return failed(polled, memory, 'rolled_back', jittered(intervalMs, clock), clock);
    case 'unreachable': {
      const delayMs = Math.max(outcome.retryAfterMs ?? 0, backOff(memory.failures + 1, intervalMs, clock));
      return failed(polled, memory, 'unreachable', delayMs, clock);
    }
    case 'unverified':
    case 'unverifiable':
      return failed(polled, memory, outcome.kind, backOff(memory.failures + 1, intervalMs, clock), clock);
    case 'full': {
      const failures = memory.failures + 1;
      const delayMs = backOff(failures, intervalMs, clock);
      return { row: polled, memory: { ...memory, failures }, delayMs, notices: [] };
    }
    case 'stopped':
      return { row, memory, delayMs: intervalMs, notices: [] };
    default:
      return outcome satisfies never;
  }
}

function succeeded(row: HubRow, intervalMs: number, clock: Clock): Settled {
  const isBehind = row.head !== null && row.cursor < row.head.size;
  return {
    row: { ...row, state: isBehind ? 'catching_up' : 'following', alarm: null },
    memory: NO_MEMORY,
    delayMs: isBehind ? 0 : jittered(intervalMs, clock),
    notices: row.alarm === null ? [] : [{ type: 'alarm-ended', kind: row.alarm.kind }],
  };
}

function failed(
  row: HubRow,
  memory: Memory,
  state: 'unreachable' | 'unverified' | 'unverifiable' | 'rolled_back',
  delayMs: number,
  clock: Clock,
): Settled {
  const isSame = row.state === state && memory.failingSinceMs !== undefined;
  const failingSinceMs = isSame ? memory.failingSinceMs : clock.monotonicMs;
  const lasted = clock.monotonicMs - (failingSinceMs ?? clock.monotonicMs);
  const isAlarming = row.alarm === null && lasted >= (ALARM_AFTER_MS[state] ?? Number.POSITIVE_INFINITY);
  const alarm: Alarm | null = isAlarming ? { kind: state, since: clock.wall, evidence: null } : row.alarm;
  return {
    row: { ...row, state, alarm },
    memory: { failures: memory.failures + 1, failingSinceMs },
    delayMs,
    notices: isAlarming && alarm !== null ? [{ type: 'alarm', alarm }] : [],
  };
}

/** The interval, up to 10 % shorter or longer, so that nodes do not poll in step. */
function jittered(intervalMs: number, { random }: Clock): number {
  return intervalMs * (0.9 + 0.2 * random);
}

/** Doubles with each failure, up to 15 minutes; random between half and all of it. */
function backOff(failures: number, intervalMs: number, { random }: Clock): number {
  const full = Math.min(intervalMs * 2 ** Math.min(failures - 1, 20), BACKOFF_MS_MAX);
  return full * (0.5 + 0.5 * random);
}

/** Whether the hub counts as healthy in `/status`. */
export function isOk({ state, full }: HubRow): boolean {
  return !full && ['waiting', 'catching_up', 'following', 'paused'].includes(state);
}

/** Fixed words for `/status`: nothing that a hub says gets there. */
export function errorText({ state, full }: HubRow): string | null {
  if (full) return 'no space left';
  switch (state) {
    case 'unreachable':
      return 'hub can not be reached';
    case 'unverified':
      return 'checkpoint is not signed by a known key';
    case 'unverifiable':
      return 'log does not match its checkpoint';
    case 'rolled_back':
      return 'hub shows an older log';
    case 'frozen':
      return 'log was rewritten';
    case 'waiting':
    case 'catching_up':
    case 'following':
    case 'paused':
      return null;
    default:
      return state satisfies never;
  }
}
