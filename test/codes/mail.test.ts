/** Mail files of Outlook, made by other software: `test/fixtures/mail/make.py`. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { native } from '../../src/native.js';

const folder = new URL('../fixtures/mail/', import.meta.url);
const mails = Object.entries(
  JSON.parse(readFileSync(new URL('expected.json', folder), 'utf8')) as Record<
    string,
    { readonly name: string; readonly creator: string; readonly text: string }
  >,
);

const words = (text: string) => text.split(/\s+/).filter(Boolean);

it.each(mails)('%s: text, subject and sender', async (file, { text, ...fields }) => {
  const { pathname } = new URL(file, folder);
  const mediatype = 'application/vnd.ms-outlook';
  expect(native.inspect(file, readFileSync(pathname).subarray(0, 4096))).toMatchObject({
    mediatype,
    mode: 'text',
  });
  const found = await native.textFileContent(pathname, mediatype, {
    granular: false,
    keepText: true,
    compat: '0.9.7',
  });
  expect(found.metadata).toMatchObject(fields);
  expect(words(found.text?.toString() ?? '')).toEqual(words(text));
});
