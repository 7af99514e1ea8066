/** Seed metadata of books (ISBN). */
import type { z } from 'zod';
import { DAY, matching, parseSeed, seedOf, textUpTo } from './form.js';

export const isbnSeed = seedOf('ISBN', {
  isbn: matching(/^\d{13}$/, 'ISBN-13 without hyphens'),
  productform: matching(/^.{2}$/su, 'ONIX code list 150'),
  title: textUpTo(128),
  language: matching(/^[a-z]{3}$/, 'ISO 639-2/B'),
  imprint: textUpTo(100),
  publisher: textUpTo(100),
  country: matching(/^[A-Z]{2}$/, 'ISO 3166-1'),
  pubdate: DAY,
});

export type IsbnSeed = z.output<typeof isbnSeed>;

/** @throws {SeedInvalid} with one problem per invalid field */
export const parseIsbn = (value: unknown): IsbnSeed => parseSeed(isbnSeed, value);
