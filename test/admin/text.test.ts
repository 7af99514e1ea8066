/** Values as the dashboard shows them. */
import { expect, test } from 'vitest';
import { bytes } from '../../src/services/dashboard/views/text.js';

test.each([
  [0, '0 bytes'],
  [999, '999 bytes'],
  [1000, '1.00 kB'],
  [12_345, '12.3 kB'],
  [999_499, '999 kB'],
  [999_500, '1.00 MB'],
  [999_900, '1.00 MB'],
  [999_499_999, '999 MB'],
  [999_900_000, '1.00 GB'],
])('%i bytes are %s', (value, text) => {
  expect(bytes(value)).toBe(text);
});
