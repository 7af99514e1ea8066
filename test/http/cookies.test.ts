import { describe, expect, it } from 'vitest';
import { cookieLine, readCookie } from '../../src/http/head/cookies.js';

describe('cookies', () => {
  it.each([
    [undefined, undefined],
    ['', undefined],
    ['a=1', '1'],
    ['b=2; a=1', '1'],
    [' b=2 ;a = 1 ', '1'],
    ['a=1; a=2', '1'],
    ['aa=2; xa=3', undefined],
    ['a', undefined],
    ['=1', undefined],
    ['a=x=y', 'x=y'],
  ])('in the header %j, the value of a is %j', (header, value) => {
    expect(readCookie(header, 'a')).toBe(value);
  });

  it('are hidden from scripts and other sites', () => {
    const cookie = { name: 'a', value: 'x', path: '/admin', maxAgeSeconds: 60, secure: false };
    const line = 'a=x; Path=/admin; Max-Age=60; HttpOnly; SameSite=Lax';
    expect(cookieLine(cookie)).toBe(line);
    expect(cookieLine({ ...cookie, secure: true })).toBe(`${line}; Secure`);
  });
});
