import { describe, expect, test } from 'vitest';
import { CodesRefusal } from '../../src/codes/errors.js';
import { filenameFromHeader, sanitizeFilename } from '../../src/codes/filename.js';

const base64 = (bytes: string | Uint8Array) => Buffer.from(bytes as string).toString('base64');

function refusal(value: string | undefined): string {
  try {
    return `accepted as ${filenameFromHeader(value)}`;
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
    expect(filenameFromHeader(base64(name))).toBe(stored);
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
    expect(refusal(value)).toBe(code);
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
