import { describe, expect, test } from 'vitest';
import { sentFilename } from '../../src/content/sent-filename.js';
import { parseQuery } from '../../src/http/request/query.js';
import { sanitizeFilename } from '../../src/iscc/filename.js';
import { CodesRefusal } from '../../src/services/codes/errors.js';
import { filenameOf } from '../../src/services/codes/filename.js';
import { uploadQuery } from '../../src/services/codes/schema.js';

const base64 = (bytes: string | Uint8Array) => Buffer.from(bytes as string).toString('base64');

const fromHeader = (value: string | undefined) =>
  filenameOf(sentFilename({ query: {}, headers: { 'x-upload-filename': value }, rawQuery: '' }));

/** As the HTTP layer gives a route the parameter. */
const fromParameter = (rawQuery: string) =>
  filenameOf(sentFilename({ query: uploadQuery.parse(parseQuery(rawQuery)), headers: {}, rawQuery }));

function refusal(name: () => string): string {
  try {
    return `accepted as ${name()}`;
  } catch (error) {
    if (error instanceof CodesRefusal) return error.code;
    throw error;
  }
}

describe('X-Upload-Filename', () => {
  test.each([
    ['photo.jpg', 'photo.jpg'],
    ['Straße 中文 🎉.png', 'Straße 中文 🎉.png'],
    ['../../etc/passwd', '....etcpasswd'],
    ['a"\r\nSet-Cookie: x=1.txt', 'aSet-Cookie x=1.txt'],
    ['C:\\Users\\me\\pic.jpg', 'pic.jpg'],
    ['\\\\server\\share\\pic.jpg', 'pic.jpg'],
    ['AC\\DC.mp3', 'ACDC.mp3'],
  ])('%j is stored as %j', (name, stored) => {
    expect(fromHeader(base64(name))).toBe(stored);
  });

  test.each([
    [undefined, 'FILENAME_MISSING'],
    ['', 'FILENAME_MISSING'],
    ['photo.jpg', 'FILENAME_NOT_BASE64'],
    ['YQ', 'FILENAME_NOT_BASE64'],
    ['YQ==\n', 'FILENAME_NOT_BASE64'],
    ['Y Q=', 'FILENAME_NOT_BASE64'],
    ['_-8=', 'FILENAME_NOT_BASE64'],
    ['=', 'FILENAME_NOT_BASE64'],
    [base64(Uint8Array.of(0xff, 0xfe)), 'FILENAME_NOT_UTF8'],
    [base64(Uint8Array.of(0xed, 0xa0, 0x80)), 'FILENAME_NOT_UTF8'],
    [base64('/'), 'FILENAME_EMPTY'],
    [base64('..'), 'FILENAME_EMPTY'],
    [base64('C:\\folder\\'), 'FILENAME_EMPTY'],
    [base64(' \u00a0 '), 'FILENAME_EMPTY'],
    [base64('\0\x1f"<>|?*'), 'FILENAME_EMPTY'],
  ])('%j is refused as %s', (value, code) => {
    expect(refusal(() => fromHeader(value))).toBe(code);
  });
});

describe('the parameter filename', () => {
  test.each([
    ['photo.jpg', 'photo.jpg'],
    ['Stra%C3%9Fe%20%E4%B8%AD%E6%96%87%20%F0%9F%8E%89.png', 'Straße 中文 🎉.png'],
    ['a+b%2Bc%26d%3De.png', 'a b+c&d=e.png'],
    ['100%.png', '100%.png'],
    ['%EF%BF%BD.png', '\ufffd.png'],
    ['..%2F..%2Fetc%2Fpasswd', '....etcpasswd'],
    ['C%3A%5CUsers%5Cpic.jpg', 'pic.jpg'],
  ])('%s is stored as %j', (value, stored) => {
    expect(fromParameter(`granular=1&filename=${value}`)).toBe(stored);
  });

  test.each([
    ['filename=', 'FILENAME_MISSING'],
    ['filename', 'FILENAME_MISSING'],
    ['', 'FILENAME_MISSING'],
    ['filename=caf%E9.jpg', 'FILENAME_NOT_UTF8'],
    ['filename=%ED%A0%80', 'FILENAME_NOT_UTF8'],
    ['filename=..%2F', 'FILENAME_EMPTY'],
  ])('%j is refused as %s', (query, code) => {
    expect(refusal(() => fromParameter(query))).toBe(code);
  });

  test('has priority over the header', () => {
    const sent = { query: { filename: 'parameter' }, headers: { 'x-upload-filename': base64('header') } };
    expect(filenameOf(sentFilename({ ...sent, rawQuery: 'filename=parameter' }))).toBe('parameter');
  });
});

describe('sanitizeFilename', () => {
  // Expected values: pathvalidate 3.3.1, sanitize_filename(name, platform="universal").
  test.each([
    ['a/b\\c:d*e?f"g<h>i|j.txt', 'abcdefghij.txt'],
    ['tab\there.txt', 'tabhere.txt'],
    ['  lead and trail  ', 'lead and trail'],
    ['dots...', 'dots'],
    ['.hidden', '.hidden'],
    ['CON', 'CON_'],
    ['con.txt', 'con_.txt'],
    ['nul.tar.gz', 'nul_.tar.gz'],
    ['COM1.log', 'COM1_.log'],
    ['lpt\u00b9', 'lpt\u00b9_'],
    ['console.txt', 'console.txt'],
    ['clock$', 'clock$_'],
  ])('%j becomes %j', (name, safe) => {
    expect(sanitizeFilename(name)).toBe(safe);
  });

  test('cuts a long name between characters and keeps the extension', () => {
    const name = sanitizeFilename(`${'é🎉'.repeat(100)}.jpeg`);
    expect(name).toMatch(/^(?:é🎉)+é?\.jpeg$/u);
    expect(Buffer.byteLength(name)).toBeLessThanOrEqual(254);
    expect(Buffer.byteLength(name)).toBeGreaterThan(245);
  });
});
