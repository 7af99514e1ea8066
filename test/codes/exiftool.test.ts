import { execFileSync } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { ExifToolFailed, writeTags } from '../../src/services/codes/metadata/exiftool.js';
import { embedIntoImage } from '../../src/services/codes/metadata/image.js';
import { temporaryFolder } from './support/folder.js';

// Files at the same path change.
sharp.cache(false);

const FIELDS = {
  name: 'Nämé 🎉 <b>&amp;</b>',
  description: 'first line\nsecond line\t"quoted" $(id) `id` {x|y}, #[CSTR]',
  meta: 'data:application/json;base64,eyJhIjoxfQ==',
  creator: 'Joanne, 中文',
  license: 'https://example.com/l?a=1&b=2',
  acquire: 'https://example.com/buy',
  rights: '(c) -execute -@ /etc/passwd',
  credit: 'Foto: A & B',
  identifier: 'id:1\n-Comment=injected\n-execute',
};

/** The XMP packet as read by sharp, independently of ExifTool. */
async function xmp(file: string): Promise<string> {
  const { xmp: packet } = await sharp(file).metadata();
  return packet?.toString() ?? '';
}

async function image(format: 'jpeg' | 'png' | 'webp' | 'tiff'): Promise<string> {
  const file = path.join(await temporaryFolder(), 'draft');
  const create = { width: 64, height: 48, channels: 3 as const, background: '#3080c0' };
  await writeFile(file, await sharp({ create })[format]().toBuffer());
  return file;
}

test.each(['jpeg', 'png', 'webp', 'tiff'] as const)(
  '%s holds every field and keeps its pixels',
  async (format) => {
    const file = await image(format);
    const pixels = await sharp(file).raw().toBuffer();
    expect(await embedIntoImage(file, FIELDS)).toBe(true);
    expect((await sharp(file).raw().toBuffer()).equals(pixels)).toBe(true);
    const packet = await xmp(file);
    expect(packet).toContain("xmlns:iscc='http://purl.org/iscc/schema/'");
    for (const value of Object.values(FIELDS)) expect(packet).toContain(escaped(value));
    expect(await readdir(path.dirname(file))).toEqual(['draft']);
  },
);

test('replaces the existing creators', async () => {
  const file = await image('jpeg');
  await writeTags(file, [
    { tag: 'XMP-dc:Creator', value: 'First' },
    { tag: 'XMP-dc:Creator', value: 'Second' },
  ]);
  expect(await xmp(file)).toMatch(/First[\s\S]*Second/);
  await embedIntoImage(file, { creator: 'Third' });
  const packet = await xmp(file);
  expect(packet).toContain('Third');
  expect(packet).not.toMatch(/First|Second/);
});

test.each([
  ['two packets', (first: string, second: string) => [packetOf(first), packetOf(second)]],
  ['one packet', (first: string, second: string) => [packetOf(first + second)]],
])('a property that is twice in %s is replaced, and others are kept', async (_, packets) => {
  const file = await image('jpeg');
  const bytes = await readFile(file);
  const segments = packets(
    description('First', '<dc:source>kept</dc:source>'),
    description('Second', '<dc:coverage>kept too</dc:coverage>'),
  ).map(segmentOf);
  await writeFile(file, Buffer.concat([bytes.subarray(0, 2), ...segments, bytes.subarray(2)]));
  await embedIntoImage(file, { name: 'Third' });
  const program = createRequire(import.meta.url)('exiftool-vendored.pl') as string;
  const args = [program, '-j', '-a', '-G4', '-XMP-dc:all', file];
  const [tags] = JSON.parse(execFileSync('perl', args, { encoding: 'utf8' }));
  const found = { ':Title': 'Third', ':Source': 'kept', ':Coverage': 'kept too' };
  expect(tags).toEqual({ SourceFile: file, ...found });
  const once = await readFile(file);
  await embedIntoImage(file, { name: 'Third' });
  expect((await readFile(file)).equals(once)).toBe(true);
});

function description(title: string, others: string): string {
  const items = `<rdf:Alt><rdf:li xml:lang="x-default">${title}</rdf:li></rdf:Alt>`;
  const namespace = 'xmlns:dc="http://purl.org/dc/elements/1.1/"';
  return `<rdf:Description rdf:about="" ${namespace}><dc:title>${items}</dc:title>${others}</rdf:Description>`;
}

function packetOf(descriptions: string): string {
  const rdf = `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">${descriptions}</rdf:RDF>`;
  return `<x:xmpmeta xmlns:x="adobe:ns:meta/">${rdf}</x:xmpmeta>`;
}

/** A segment of JPEG with an XMP packet. */
function segmentOf(packet: string): Buffer {
  const content = Buffer.from(`http://ns.adobe.com/xap/1.0/\0${packet}`);
  const header = Buffer.from([0xff, 0xe1, 0, 0]);
  header.writeUInt16BE(content.length + 2, 2);
  return Buffer.concat([header, content]);
}

test('values are never read as arguments', async () => {
  const file = await image('png');
  await embedIntoImage(file, { name: 'x\n-Comment=injected\n-o\n/tmp/elsewhere', rights: '@/etc/hostname' });
  const program = createRequire(import.meta.url)('exiftool-vendored.pl') as string;
  const [tags] = JSON.parse(execFileSync('perl', [program, '-j', '-a', file], { encoding: 'utf8' }));
  expect(tags.Comment).toBeUndefined();
  expect(tags.Rights).toBe('@/etc/hostname');
});

test('does not touch the file if there is nothing to embed', async () => {
  const file = await image('jpeg');
  const before = await readFile(file);
  expect(await embedIntoImage(file, { rights: '' })).toBe(false);
  expect((await readFile(file)).equals(before)).toBe(true);
});

test('rejects a file that is not an image and does not change it', async () => {
  const file = path.join(await temporaryFolder(), 'draft');
  await writeFile(file, 'plain text');
  await expect(writeTags(file, [{ tag: 'XMP-dc:Title', value: 'x' }])).rejects.toThrow(ExifToolFailed);
  expect(await readdir(path.dirname(file))).toEqual(['draft']);
  expect((await readFile(file)).toString()).toBe('plain text');
});

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
