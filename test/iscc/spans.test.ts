/** Spans of time from matches of parts. */
import { describe, expect, it } from 'vitest';
import {
  hasTimes,
  type PartMatch,
  simprintType,
  spansByType,
  spansOf,
  spanText,
} from '../../src/iscc/spans.js';

/** Parts of 2 s, one for each second. */
const query = (count: number) => ({
  maintype: 'content',
  subtype: 'video',
  version: 0,
  simprints: Array.from({ length: count }, (_, at) => `part ${at}`),
  offsets: Array.from({ length: count }, (_, at) => 1000 * at),
  sizes: Array.from({ length: count }, () => 2000),
});

const found = (at: number, offset: number, score = 0.95): PartMatch => ({
  query: `part ${at}`,
  score,
  offset,
  size: 2000,
});

describe('spans', () => {
  it('join parts that are moved by almost the same time', () => {
    const matches = [found(1, 61_200), found(2, 61_900, 0.8), found(4, 64_300), found(3, 5000, 0.76)];
    const [span, ...others] = spansOf(query(6), matches);
    expect(others).toEqual([]);
    expect(span).toEqual({
      start: 1000,
      end: 6000,
      found_start: 61_200,
      found_end: 66_300,
      score: 0.95,
      mean: expect.closeTo(0.9),
      parts: 3,
    });
  });

  it('need one pair that is very similar', () => {
    const weak = [0, 1, 2, 3].map((at) => found(at, 7000 + 1000 * at, 0.84));
    expect(spansOf(query(4), weak)).toEqual([]);
    expect(spansOf(query(4), [...weak, found(0, 7000, 0.85)])).toMatchObject([{ score: 0.85 }]);
  });

  it('of sounds need parts that are all similar', () => {
    const sound = { ...query(4), subtype: 'audio' };
    const matches = [0, 1, 2, 3].map((at) => found(at, 7000 + 1000 * at, 0.8));
    expect(spansOf(sound, [...matches, found(0, 7000, 0.95)])).toEqual([]);
    expect(
      spansOf(
        sound,
        [0, 1].map((at) => found(at, 7000 + 1000 * at, 0.9)),
      ),
    ).toHaveLength(1);
  });

  it('of a clip with the end of a still shot have its time', () => {
    const clip = { ...query(2), offsets: [0, 3000], sizes: [3000, 2000] };
    const still = { query: 'part 0', score: 0.99, offset: 20_000, size: 9000 };
    expect(spansOf(clip, [still, found(1, 29_000, 0.9)])).toMatchObject([
      { start: 0, end: 5000, found_start: 20_000, found_end: 31_000, mean: expect.closeTo(0.945) },
    ]);
  });

  it('are several if parts come from several places, or after a gap', () => {
    const first = [0, 1, 2].map((at) => found(at, 90_000 + 1000 * at));
    const second = [3, 4].map((at) => found(at, 20_000 + 1000 * at));
    const third = [15, 16].map((at) => found(at, 90_000 + 1000 * at));
    expect(spansOf(query(20), [...second, ...third, ...first])).toMatchObject([
      { start: 0, end: 4000, found_start: 90_000 },
      { start: 3000, end: 6000, found_start: 23_000 },
      { start: 15_000, end: 18_000, found_start: 105_000 },
    ]);
  });

  it('of a part that is several times in the query are one', () => {
    const still = { ...query(4), simprints: ['same', 'same', 'same', 'same'] };
    const match = { query: 'same', score: 1, offset: 30_000, size: 2000 };
    expect(spansOf(still, [match, match, match, match])).toMatchObject([{ found_end: 32_000 }]);
  });

  it('are of types with times only', () => {
    const parts = query(2);
    const text = { ...parts, subtype: 'text' };
    const chunks = [found(0, 4000)];
    expect(simprintType(parts)).toBe('CONTENT_VIDEO_V0');
    expect([simprintType(text), 'CONTENT_AUDIO_V0'].map(hasTimes)).toEqual([false, true]);
    const types = { CONTENT_VIDEO_V0: { chunks }, CONTENT_TEXT_V0: { chunks } };
    expect(Object.keys(spansByType(types, [parts, text]))).toEqual(['CONTENT_VIDEO_V0']);
  });

  it('are shown with minutes, and hours of long films', () => {
    const span = {
      start: 0,
      end: 9900,
      found_start: 3_725_000,
      found_end: 3_735_400,
      score: 1,
      mean: 1,
      parts: 9,
    };
    expect(spanText(span)).toBe('1:02:05 to 1:02:15 is 0:00 to 0:10 of the query');
  });
});
