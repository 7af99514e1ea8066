/** Valid files of unusual form. */
import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bodyOf, postJson, upload, uploaded } from '../support/client.js';
import { temporaryFolder } from '../support/folder.js';
import { hasProgram } from '../support/recorded.js';
import { type CodesServer, startCodes } from '../support/server.js';

let server: CodesServer;
beforeAll(async () => {
  server = await startCodes({ config: { maxWorkers: 1 } });
});
afterAll(() => server?.close());

const content = (units: readonly string[]) => units.find((unit) => unit.startsWith('ISCC:E'));

describe('SVG', () => {
  const DRAWING =
    '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30"><title>T</title><circle cx="9" cy="9" r="7"/></svg>';
  const DOCTYPE =
    '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">';

  test.each([
    ['a comment', `<!-- made by hand -->${DRAWING}`],
    ['a long comment', `<!--${'x'.repeat(5000)}-->${DRAWING}`],
    ['a document type', `${DOCTYPE}\n${DRAWING}`],
    ['a byte order mark and white space', `\ufeff\n  ${DRAWING}`],
    ['a declared encoding', `<?xml version="1.0" encoding="iso-8859-1"?>${DRAWING}`],
    ['an entity declaration in a comment', DRAWING.replace('<circle', '<!-- <!ENTITY x "y"> --><circle')],
  ])('with %s has the same code as without', async (_, source) => {
    const plain = await uploaded(server.url, 'plain.svg', DRAWING);
    const drawing = await uploaded(server.url, 'other.svg', source);
    expect(drawing).toMatchObject({ mediatype: 'image/svg+xml', name: 'T', width: 40, height: 30 });
    expect(content(drawing.units)).toBe(content(plain.units));
    const response = await postJson(server.url, `/metadata/${drawing.media_id}`, { name: 'Grüße' });
    expect(response.status).toBe(201);
    const copy = await bodyOf(response);
    expect(copy.name).toBe('Grüße');
    expect(content(copy.units)).toBe(content(plain.units));
  });

  test.each([
    ['behind a comment', Buffer.from(`<!-- c --><!DOCTYPE svg [<!ENTITY e "x">]>${DRAWING}`)],
    ['in a gzip file', gzipSync(`<!DOCTYPE svg [<!ENTITY e "x">]>${DRAWING}`)],
    ['in UTF-16', Buffer.from(`\ufeff<!DOCTYPE svg [<!ENTITY e "x">]>${DRAWING}`, 'utf16le')],
  ])('with entities %s is rejected', async (_, source) => {
    const response = await upload(server.url, 'entities.svg', new Uint8Array(source));
    expect([response.status, await response.text()]).toEqual([422, expect.any(String)]);
  });
});

describe('long texts', () => {
  test.each([
    ['0.9.7', 10_000_100, 10_000_000],
    ['0.9.5', 500_100, 500_000],
  ] as const)('are cut at the limit of iscc-sdk %s', async (compat, letters, characters) => {
    const compatible = await startCodes({ config: { maxWorkers: 1, compat } });
    const text = 'a'.repeat(letters);
    try {
      const long = await uploaded(compatible.url, 'a.txt', text, { query: '?granular=false' });
      expect(long.characters).toBe(characters);
      expect(long.name).toBe('a');
    } finally {
      await compatible.close();
    }
  });
});

describe.skipIf(!hasProgram('ffmpeg'))('MPEG transport streams', () => {
  test('are detected as video despite the extension of TypeScript', async () => {
    const at = path.join(await temporaryFolder(), 'film.ts');
    const source = ['-f', 'lavfi', '-i', 'testsrc=size=64x48:rate=10:d=1'];
    execFileSync('ffmpeg', ['-v', 'error', ...source, '-c:v', 'mpeg2video', '-f', 'mpegts', at]);
    const video = await uploaded(server.url, 'film.ts', new Uint8Array(await readFile(at)));
    expect(video).toMatchObject({ mediatype: 'video/mp2t', mode: 'video', width: 64, height: 48 });
    const other = new Uint8Array(3000).map((_, index) => ((index * index) / 7) % 251);
    const late = await uploaded(server.url, 'late.ts', Buffer.concat([other, await readFile(at)]));
    expect(late).toMatchObject({ mediatype: 'video/mp2t', mode: 'video', width: 64, height: 48 });
    expect(content(late.units)).toBe(content(video.units));
    const program = await uploaded(server.url, 'program.ts', 'export const a = 1;\n');
    expect(program.mode).toBe('text');
  });
});
