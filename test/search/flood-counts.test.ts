/** When a unit matches far more than its past, with a clock of the test. */
import { describe, expect, test } from 'vitest';
import { LEARNING_WINDOWS, MatchCounts } from '../../src/services/search/flood/counts.js';

const WINDOW_MS = 1000;
const FACTOR = 20;
/** With less, a past counts as this. */
const PAST_MIN = 10;

/** Counts matches of a unit in a window; returns at which of them the first flood was seen, and that flood. */
function matches(counts: MatchCounts, unit: string, window: number, number: number) {
  for (let at = 1; at <= number; at += 1) {
    const flood = counts.add(unit, window * WINDOW_MS + (at % WINDOW_MS));
    if (flood !== undefined) return { at, ...flood };
  }
  return undefined;
}

const counting = (unitsMax?: number) =>
  new MatchCounts({ factor: FACTOR, windowMs: WINDOW_MS, ...(unitsMax !== undefined && { unitsMax }) }, 0);

describe('matches of a unit', () => {
  test('are a flood when they exceed the factor times the past', () => {
    const counts = counting();
    for (let window = 0; window < 20; window += 1) expect(matches(counts, 'a', window, 40)).toBeUndefined();
    const flood = matches(counts, 'a', 20, 10_000);
    expect(flood?.past).toBeGreaterThan(39.8);
    expect(flood?.past).toBeLessThanOrEqual(40);
    expect(flood?.matches).toBe(Math.floor(FACTOR * (flood?.past ?? 0)) + 1);
    expect(flood?.at).toBe(flood?.matches);
  });

  test('without a past are a flood from a number on that a few people do not reach', () => {
    const counts = counting();
    expect(matches(counts, 'new', LEARNING_WINDOWS, FACTOR * PAST_MIN)).toBeUndefined();
    expect(matches(counts, 'other', LEARNING_WINDOWS, FACTOR * PAST_MIN + 1)).toMatchObject({ past: 0 });
  });

  test('are learned, not judged, after a start, and a steady number is no flood then', () => {
    const counts = counting();
    for (let window = 0; window < 100; window += 1)
      expect(matches(counts, 'popular', window, 1000)).toBeUndefined();
  });

  test('of a unit that rises slowly are no flood, however many they become', () => {
    const counts = counting();
    let number = 10;
    for (let window = 0; window < 40; window += 1) {
      expect(matches(counts, 'rising', window, Math.round(number))).toBeUndefined();
      number *= 1.2;
    }
    expect(number).toBeGreaterThan(10_000);
  });

  test('lose their past while the unit does not match', () => {
    const counts = counting();
    for (let window = 0; window < 20; window += 1) matches(counts, 'a', window, 100);
    expect(matches(counts, 'a', 60, 1000)?.past).toBeLessThan(0.01);
  });

  test('are counted for a bounded number of units; the one that matched last is kept', () => {
    const counts = counting(1000);
    for (let window = 0; window < 20; window += 1) matches(counts, 'popular', window, 300);
    for (let unit = 0; unit < 50_000; unit += 1) {
      counts.add(`unit ${unit}`, 20 * WINDOW_MS);
      if (unit % 500 === 0) counts.add('popular', 20 * WINDOW_MS);
    }
    expect(counts.size).toBe(1000);
    // Its past is known: without one, this would be a flood.
    expect(matches(counts, 'popular', 21, 1000)).toBeUndefined();
  });
});
