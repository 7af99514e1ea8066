/**
 * Office files that are encrypted with the default password, which programs open without asking for one. Made by Apache POI:
 * `test/fixtures/office/encrypted/Make.java`.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { native } from '../../src/native.js';

const folder = new URL('../fixtures/office/encrypted/', import.meta.url);
/** Text-Codes of iscc-sdk 0.9.7; `null` where it finds no text, because the file has another password. */
const recorded = JSON.parse(readFileSync(new URL('iscc-sdk-0.9.7.json', folder), 'utf8')) as Record<
  string,
  string | null
>;

const contentOf = (file: string) => {
  const path = fileURLToPath(new URL(file, folder));
  const { mediatype } = native.inspect(file, readFileSync(path).subarray(0, 4096));
  return native.textFileContent(path, mediatype, { granular: false, keepText: true, compat: '0.9.7' });
};

it.each(Object.entries(recorded))(
  '%s: reads text and title, or refuses another password',
  async (file, unit) => {
    if (unit === null) return expect(contentOf(file)).rejects.toMatchObject({ code: 'ENCRYPTED' });
    const { unit: own, text, metadata } = await contentOf(file);
    expect(own).toBe(unit);
    expect(text?.toString()).toMatch(/Größe|Urheber/);
    // The CryptoAPI encrypts the properties, too, and the reference does not read them.
    expect(metadata.name).toBe(file.startsWith('cryptoapi') ? undefined : 'Ein Titel');
  },
);
