/** Embeds metadata into every supported format and reads it with independent programs. */
import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bodyOf, postJson, sha256, uploaded } from '../support/client.js';
import { temporaryFolder } from '../support/folder.js';
import { fileBytes, recording, referenceOf } from '../support/reference.js';
import { type CodesServer, startCodes } from '../support/server.js';

const EXIFTOOL = path.join(
  path.dirname(createRequire(import.meta.url).resolve('exiftool-vendored.pl/package.json')),
  'bin',
  'exiftool',
);

const run = (program: string, ...args: string[]) => execFileSync(program, args, { encoding: 'utf8' });

/** Returns everything that a program reports about a file. */
type Reader = (file: string) => Promise<string> | string;

const exiftool: Reader = (file) =>
  run('perl', EXIFTOOL, '-json', '-sep', ', ', '-a', '-u', '-charset', 'UTF8', file);
const ffprobe: Reader = (file) =>
  run('ffprobe', '-v', 'error', '-show_entries', 'format_tags:stream_tags', '-of', 'json', file);
/** libvips returns the XMP packet as written by ExifTool. */
const xmp: Reader = async (file) => `${(await sharp(file).metadata()).xmp}`;
/** All text and attributes of an XML file, or of the metadata parts of an archive, read by Python. */
const xml: Reader = (file) => run('python3', '-c', PRINT_XML, file);
const PRINT_XML = `
import sys, zipfile
from xml.etree import ElementTree
path = sys.argv[1]
archive = zipfile.ZipFile(path) if zipfile.is_zipfile(path) else None
names = [n for n in archive.namelist() if n.startswith("docProps/") and n.endswith(".xml") or n.endswith(".opf")] if archive else [None]
sys.stdout.reconfigure(encoding="utf-8")
for name in names:
    root = ElementTree.fromstring(archive.read(name) if archive else open(path, "rb").read())
    for element in root.iter():
        print(element.tag, element.text, *element.attrib.values())
`;

const CASES: readonly (readonly [file: string, reader: Reader])[] = [
  ['photo-q85_a.jpg', xmp],
  ['photo_a.png', xmp],
  ['lossy_a.webp', xmp],
  ['pic_a.tif', xmp],
  ['vec_a.svg', xml],
  ['song_a.mp3', ffprobe],
  ['song_a.flac', exiftool],
  ['song_a.ogg', exiftool],
  ['song_a.opus', exiftool],
  ['song_a.m4a', ffprobe],
  ['song_a.aif', ffprobe],
  ['chords_a.wav', ffprobe],
  ['test_a.mp4', exiftool],
  ['scenes_a.mkv', exiftool],
  ['mandel_a.webm', exiftool],
  ['life_a.avi', exiftool],
  ['paper_a.pdf', exiftool],
  ['report_a.docx', xml],
  ['book3_a.epub', xml],
];

let server: CodesServer;
beforeAll(async () => {
  server = await startCodes();
});
afterAll(() => server?.close());

test.each(CASES)('%s', async (file, read) => {
  const original = await uploaded(server.url, file, fileBytes(file));
  const response = await postJson(server.url, `/metadata/${original.media_id}`, recording.embed_request);
  expect(response.status).toBe(201);
  const copy = await bodyOf(response);
  const mode = original.units.findIndex((unit) => unit.startsWith('ISCC:E'));
  expect(copy.units[mode]).toBe(original.units[mode]);
  const download = async (id: string) =>
    new Uint8Array(await (await fetch(`${server.url}/api/v1/media/${id}`)).arrayBuffer());
  expect(sha256(await download(original.media_id))).toBe(sha256(fileBytes(file)));
  const at = path.join(await temporaryFolder(), file);
  await writeFile(at, await download(copy.media_id));
  const found = await read(at);
  const values = Object.entries(referenceOf(file).embed?.reextracted ?? {}).filter(
    ([field, value]) => recording.embed_request[field] === value,
  );
  expect(values.length).toBeGreaterThan(0);
  for (const [field, value] of values)
    expect([field, found]).toEqual([field, expect.stringContaining(`${value}`)]);
});

/** FFmpeg can't read back the tags it writes into these formats. */
test.each(['rgb_a.ogv', 'life_a.avi'])(
  '%s keeps its code, and the response has the submitted fields',
  async (file) => {
    const original = await uploaded(server.url, file, fileBytes(file));
    const response = await postJson(server.url, `/metadata/${original.media_id}`, recording.embed_request);
    expect(response.status).toBe(201);
    const copy = await bodyOf(response);
    const content = (units: readonly string[]) => units.filter((unit) => unit.startsWith('ISCC:E'));
    expect(content(copy.units)).toEqual(content(original.units));
    const { name, description, creator, license, rights } = recording.embed_request;
    expect(copy).toMatchObject({ name, description, creator, license, rights });
  },
);
