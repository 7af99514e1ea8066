import { expect, test } from 'vitest';
import { firstMediaIdAt, MediaIdSource, parseMediaId } from '../../src/codes/media-id.js';

test('an id is 13 characters of base32hex, the last one even', () => {
  const ids = new MediaIdSource();
  for (let count = 0; count < 1000; count += 1)
    expect(ids.next()).toMatch(/^[a-v0-9]{12}[02468acegikmoqsu]$/);
});

test('ids are unique and ascend, also within a millisecond and past a full counter', () => {
  const ids = new MediaIdSource(() => 1_700_000_000_000);
  const made = Array.from({ length: 200_000 }, () => ids.next());
  expect(new Set(made).size).toBe(made.length);
  expect(made).toEqual([...made].sort());
});

test('a clock that is set back makes no id twice', () => {
  let now = 2000;
  const ids = new MediaIdSource(() => now);
  const first = ids.next();
  now = 1000;
  expect(ids.next() > first).toBe(true);
});

test('the bound of a moment divides the ids before it from those after', () => {
  const at = (time: number) => new MediaIdSource(() => time).next();
  const time = 1_763_701_234_567;
  expect(at(time - 1) < firstMediaIdAt(time)).toBe(true);
  expect(at(time) >= firstMediaIdAt(time)).toBe(true);
  expect(firstMediaIdAt(-5)).toBe('0000000000000');
});

// The id of the published example package: made on 2023-07-06 by another implementation.
test('the form is that of other implementations', () => {
  expect(parseMediaId('061knt35ejv6o')).toBe('061knt35ejv6o');
  const year2020 = Date.UTC(2020, 0, 1);
  expect(firstMediaIdAt(year2020) < '061knt35ejv6o').toBe(true);
  expect(firstMediaIdAt(Date.UTC(2026, 0, 1)) > '061knt35ejv6o').toBe(true);
});

test.each(['', '061knt35ejv6', '061knt35ejv6oo', '061KNT35EJV6O', '061knt35ejv6w', '061knt35ejv6o\n'])(
  '%j is no id',
  (text) => {
    expect(parseMediaId(text)).toBeUndefined();
  },
);
