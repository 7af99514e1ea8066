/** How outcomes of polls change the state of a hub. */
import { describe, expect, it } from 'vitest';
import { errorText, isOk, NO_MEMORY, newRow, type Outcome, settle } from '../../src/network/state.js';

const INTERVAL_MS = 60_000;
const clock = (monotonicMs: number, random = 0.5) => ({ monotonicMs, wall: '2026-01-01T00:00:00Z', random });
const row = newRow({ url: 'https://hub.example', origin: 'hub.example/log' });
const unreachable: Outcome = { kind: 'unreachable', reason: 'x' };

describe('a hub', () => {
  it('is following after a good poll, and catching up while its cursor is below its head', () => {
    const { row: followed, delayMs } = settle(row, NO_MEMORY, { kind: 'progress' }, INTERVAL_MS, clock(0));
    expect(followed.state).toBe('following');
    expect(delayMs).toBe(INTERVAL_MS);
    const head = { size: 9, root: '', note: '', key: '', key_id: '', key_source: 'list', time: '' } as const;
    const behind = settle({ ...row, head }, NO_MEMORY, { kind: 'progress' }, INTERVAL_MS, clock(0));
    expect(behind).toMatchObject({ delayMs: 0, row: { state: 'catching_up' } });
  });

  it('is retried with doubling pauses of at most 15 minutes, and not before Retry-After', () => {
    let memory = NO_MEMORY;
    const delays = Array.from({ length: 7 }, () => {
      const settled = settle(row, memory, unreachable, INTERVAL_MS, clock(0, 1));
      memory = settled.memory;
      return settled.delayMs / 1000;
    });
    expect(delays).toEqual([60, 120, 240, 480, 900, 900, 900]);
    const later: Outcome = { ...unreachable, retryAfterMs: 3_000_000 };
    expect(settle(row, NO_MEMORY, later, INTERVAL_MS, clock(0)).delayMs).toBe(3_000_000);
  });

  it('raises one alarm after an hour without contact, which ends with the next contact', () => {
    let state = settle(row, NO_MEMORY, unreachable, INTERVAL_MS, clock(0));
    const notices = [];
    for (const minute of [30, 61, 62]) {
      state = settle(state.row, state.memory, unreachable, INTERVAL_MS, clock(minute * 60_000));
      notices.push(...state.notices);
    }
    expect(notices).toMatchObject([{ type: 'alarm', alarm: { kind: 'unreachable', evidence: null } }]);
    const back = settle(state.row, state.memory, { kind: 'progress' }, INTERVAL_MS, clock(9e6));
    expect(back.notices).toEqual([{ type: 'alarm-ended', kind: 'unreachable' }]);
    expect(back.row.alarm).toBeNull();
  });

  it('stays frozen whatever follows', () => {
    const outcome: Outcome = { kind: 'frozen', violation: 'fork', evidence: 3 };
    const frozen = settle(row, NO_MEMORY, outcome, INTERVAL_MS, clock(0));
    expect(frozen.row).toMatchObject({ state: 'frozen', alarm: { kind: 'fork', evidence: 3 } });
    expect(frozen.notices).toHaveLength(1);
    for (const next of [{ kind: 'progress' }, unreachable, { kind: 'rolled_back' }] satisfies Outcome[])
      expect(settle(frozen.row, NO_MEMORY, next, INTERVAL_MS, clock(1)).row.state).toBe('frozen');
  });

  it('is not blamed for a full disk', () => {
    const full = settle({ ...row, state: 'following' }, NO_MEMORY, { kind: 'full' }, INTERVAL_MS, clock(0));
    expect(full.row.state).toBe('following');
    expect([isOk(full.row), errorText(full.row)]).toEqual([false, 'no space left']);
  });
});
