import { expect, test } from 'vitest';
import { firstMediaIdAt, isMediaId, MediaIdSource } from '../../src/services/codes/uploads/media-id.js';

test('an id is 13 characters of base32hex, the last one even', () => {
  const ids = new MediaIdSource();
  for (let count = 0; count < 1000; count += 1)
    expect(ids.next()).toMatch(/^[a-v0-9]{12}[02468acegikmoqsu]$/);
});

test('ids are unique and ascending, also within one millisecond and after a counter overflow', () => {
  const ids = new MediaIdSource(() => 1_700_000_000_000);
  const created = Array.from({ length: 200_000 }, () => ids.next());
  expect(new Set(created).size).toBe(created.length);
  expect(created).toEqual([...created].sort());
});

test('ids keep ascending after the clock goes backwards', () => {
  let now = 2000;
  const ids = new MediaIdSource(() => now);
  const first = ids.next();
  now = 1000;
  expect(ids.next() > first).toBe(true);
});

test('firstMediaIdAt separates earlier ids from later ones', () => {
  const at = (time: number) => new MediaIdSource(() => time).next();
  const time = 1_763_701_234_567;
  expect(at(time - 1) < firstMediaIdAt(time)).toBe(true);
  expect(at(time) >= firstMediaIdAt(time)).toBe(true);
  expect(firstMediaIdAt(-5)).toBe('0000000000000');
});

// The id of iscc-web's published example package, created on 2023-07-06.
test('ids are compatible with those of the reference', () => {
  expect(isMediaId('061knt35ejv6o')).toBe(true);
  const year2020 = Date.UTC(2020, 0, 1);
  expect(firstMediaIdAt(year2020) < '061knt35ejv6o').toBe(true);
  expect(firstMediaIdAt(Date.UTC(2026, 0, 1)) > '061knt35ejv6o').toBe(true);
});

test.each(['', '061knt35ejv6', '061knt35ejv6oo', '061KNT35EJV6O', '061knt35ejv6w', '061knt35ejv6o\n'])(
  '%j is not an id',
  (text) => {
    expect(isMediaId(text)).toBe(false);
  },
);
