/** Errors that mean a full disk. A disk quota and a full PostgreSQL server can't be had in a test; their codes can. */
import { expect, it } from 'vitest';
import { saysFull } from '../../src/storage/data/full.js';

const withCode = (code: string) => Object.assign(new Error('failed'), { code });

it.each([
  ['ENOSPC', true],
  ['EDQUOT', true],
  ['SQLITE_FULL', true],
  // disk_full of PostgreSQL.
  ['53100', true],
  // out_of_memory of PostgreSQL.
  ['53200', false],
  ['EIO', false],
  ['EACCES', false],
])('an error with code %s is that of a full disk: %s', (code, isFull) => {
  expect(saysFull(withCode(code))).toBe(isFull);
});
