/** Embedding into audio files changes only submitted fields, as programs that are not part of isccd see it. */
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { INSTALL_MAX_MS } from '../../support/set-up.js';
import { bodyOf, postJson, sha256, uploaded } from '../support/client.js';
import { temporaryFolder } from '../support/folder.js';
import { ffprobe, python, pythonReaders } from '../support/independent.js';
import { hasProgram } from '../support/recorded.js';
import { type CodesServer, startCodes } from '../support/server.js';

const run = promisify(execFile);

let server: CodesServer;
beforeAll(async () => {
  server = await startCodes();
  await pythonReaders();
}, INSTALL_MAX_MS);
afterAll(() => server?.close());

const SOUND = ['-f', 'lavfi', '-i', 'aevalsrc=sin(440*t*(1+t/4)):d=8:s=44100'];
const FIELDS = { name: 'Neu ü中', creator: 'Ich' };

/** A file that ffmpeg makes, named so that its media type is known. */
async function made(name: string, args: readonly string[] = []): Promise<string> {
  const file = path.join(await temporaryFolder(), name);
  await run('ffmpeg', ['-v', 'error', '-y', ...SOUND, ...args, '-fflags', '+bitexact', file]);
  return file;
}

async function script(name: string, ...args: readonly string[]): Promise<unknown> {
  const at = path.join(import.meta.dirname, '../support', name);
  const { stdout } = await run('python3', [at, ...args], {
    env: await pythonReaders(),
    maxBuffer: 64 * 1024 * 1024,
  });
  return JSON.parse(stdout);
}

/** Embeds twice, and returns the copy. The second copy has the same bytes, and both have the code of the file. */
async function embeddedTwice(file: string, fields: object = FIELDS): Promise<string> {
  const name = path.basename(file);
  const original = await uploaded(server.url, name, new Uint8Array(await readFile(file)));
  const copies: Uint8Array[] = [];
  let from = original;
  for (let round = 0; round < 2; round += 1) {
    const response = await postJson(server.url, `/metadata/${from.media_id}`, fields);
    if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`);
    from = await bodyOf(response);
    expect(from).toMatchObject(fields);
    expect(from).not.toHaveProperty('not_embedded');
    expect(contentUnit(from.units)).toBe(contentUnit(original.units));
    const bytes = await fetch(`${server.url}/api/v1/media/${from.media_id}`);
    copies.push(new Uint8Array(await bytes.arrayBuffer()));
  }
  const [first = new Uint8Array(), second = new Uint8Array()] = copies;
  expect(sha256(second)).toBe(sha256(first));
  const copy = path.join(await temporaryFolder(), name);
  await writeFile(copy, first);
  return copy;
}

const contentUnit = (units: readonly string[]) => units.find((unit) => unit.startsWith('ISCC:E'));

/** The samples, as ffmpeg decodes them. */
async function samplesOf(file: string): Promise<string> {
  const { stdout } = await run('ffmpeg', ['-v', 'error', '-i', file, '-map', '0:a', '-f', 'md5', '-']);
  return stdout;
}

describe.skipIf(!hasProgram('ffmpeg'))('Vorbis comments', () => {
  const KEPT = [
    'ENCODER=opusenc 0.2',
    'EMPTY=',
    '',
    'no name',
    'TRACKNUMBER=03/12',
    'Mixed-Case=é',
    'COMMENT',
  ];
  const hex = (text: string | Buffer) => Buffer.from(text).toString('hex');
  const BINARY = hex(Buffer.from('BINARY=\xff\xfe\x80', 'latin1'));

  const CASES: readonly [name: string, args: readonly string[]][] = [
    ['sound.ogg', ['-c:a', 'libvorbis']],
    ['sound.opus', ['-c:a', 'libopus']],
    ['sound.spx', ['-c:a', 'libspeex', '-ar', '32000']],
    ['sound.oga', ['-c:a', 'flac']],
    ['sound.flac', []],
  ];

  test.each(CASES)('%s keeps all other comments byte by byte', async (name, args) => {
    const file = await made(name, args);
    const old = [...KEPT.map(hex), BINARY, ...['title=Old', 'Artist=One', 'ARTIST=Two'].map(hex)];
    await script('raw_comments.py', 'set', file, ...old);
    const copy = await embeddedTwice(file);
    expect(await script('raw_comments.py', 'get', copy)).toEqual([
      ...KEPT.map(hex),
      BINARY,
      ...[`title=${FIELDS.name}`, `Artist=${FIELDS.creator}`, `ISCC:NAME=${FIELDS.name}`].map(hex),
    ]);
    expect(await samplesOf(copy)).toBe(await samplesOf(file));
    expect((await ffprobe(copy)).title).toEqual([FIELDS.name]);
  });

  /** The file without its padding. */
  function withoutPadding(bytes: Buffer): Buffer {
    const kept: Buffer[] = [];
    let at = 4;
    for (let isLast = false; !isLast; ) {
      isLast = ((bytes[at] ?? 0) & 0x80) !== 0;
      const end = at + 4 + bytes.readUIntBE(at + 1, 3);
      if (((bytes[at] ?? 0) & 0x7f) !== 1) kept.push(Buffer.from(bytes.subarray(at, end)));
      at = end;
    }
    for (const [index, block] of kept.entries())
      block[0] = ((block[0] ?? 0) & 0x7f) | (index === kept.length - 1 ? 0x80 : 0);
    return Buffer.concat([bytes.subarray(0, 4), ...kept, bytes.subarray(at)]);
  }

  test('FLAC without padding gets the same bytes from the second embedding', async () => {
    const file = await made('sound.flac', ['-metadata', 'artist=Old']);
    await writeFile(file, withoutPadding(await readFile(file)));
    const copy = await embeddedTwice(file);
    expect(await python(copy)).toMatchObject({ title: [FIELDS.name], artist: [FIELDS.creator] });
    expect(await samplesOf(copy)).toBe(await samplesOf(file));
  });

  test('FLAC after an ID3v2 tag keeps both kinds of tags in step', async () => {
    const file = await made('sound.flac', ['-metadata', 'title=Old']);
    const frames = Buffer.from('TIT2\0\0\0\x04\0\0\0OldTRCK\0\0\0\x02\0\0\x003', 'latin1');
    const header = Buffer.from([0x49, 0x44, 0x33, 3, 0, 0, 0, 0, 0, frames.length]);
    await writeFile(file, Buffer.concat([header, frames, await readFile(file)]));
    const copy = await embeddedTwice(file);
    const bytes = await readFile(copy);
    expect(bytes.toString('latin1', 0, 3)).toBe('ID3');
    expect(bytes.includes(Buffer.from('TRCK\0\0\0\x02\0\0\x003', 'latin1'))).toBe(true);
    expect(bytes.includes(Buffer.from(FIELDS.name, 'utf16le'))).toBe(true);
    expect(bytes.includes('Old')).toBe(false);
    expect(await python(copy)).toMatchObject({ title: [FIELDS.name] });
    expect(await samplesOf(copy)).toBe(await samplesOf(file));
  });

  test('an Ogg file with damaged pages keeps its code', async () => {
    const file = await made('sound.opus', ['-c:a', 'libopus', '-metadata', `comment=${'x'.repeat(70_000)}`]);
    const bytes = await readFile(file);
    const middle = bytes.indexOf('OggS', bytes.length >> 1);
    bytes.fill(0x5a, middle + 100, middle + 300);
    await writeFile(file, bytes);
    // The comments need fewer pages, so all pages get other numbers.
    await embeddedTwice(file, { ...FIELDS, description: 'short' });
  });
});

describe.skipIf(!hasProgram('ffmpeg'))('other tags', () => {
  /** What is submitted is in these items. */
  const CHANGED =
    /^(TIT2|TPE1|TXXX:ISCC:NAME|Title|Artist|ISCC:NAME|©nam|©ART|----:com.apple.iTunes:ISCC_NAME)$/;

  test.each([
    ['sound.aiff', []],
    ['sound.wav', []],
    ['sound.mp3', []],
    ['sound.wv', ['-c:a', 'wavpack']],
    ['sound.m4a', ['-c:a', 'aac']],
  ] as const)('%s keeps all items that are not submitted', async (name, args) => {
    const file = await made(name, args);
    await script('audio_items.py', 'fill', file);
    const before = (await script('audio_items.py', 'dump', file)) as Record<string, string>;
    const copy = await embeddedTwice(file);
    const after = (await script('audio_items.py', 'dump', copy)) as Record<string, string>;
    const others = (all: Record<string, string>) =>
      Object.fromEntries(Object.entries(all).filter(([key]) => !CHANGED.test(key)));
    expect(Object.keys(others(before)).length).toBeGreaterThan(3);
    expect(others(after)).toEqual(others(before));
    expect(JSON.stringify(after)).toContain(FIELDS.name);
    expect(JSON.stringify(after)).not.toMatch(/Old|Second/);
    expect(await samplesOf(copy)).toBe(await samplesOf(file));
  });

  test.each(['RF64', 'BW64'])('WAV with 64-bit sizes (%s) gets RIFF INFO and ID3', async (magic) => {
    const file = await made('long.wav', [
      '-rf64',
      'always',
      '-metadata',
      'title=Old',
      '-metadata',
      'date=2020',
    ]);
    const bytes = await readFile(file);
    bytes.write(magic, 'latin1');
    await writeFile(file, bytes);
    const copy = await embeddedTwice(file, { ...FIELDS, rights: '(c) Ich' });
    const written = await readFile(copy);
    expect(written.toString('latin1', 0, 4)).toBe(magic);
    expect(Number(written.readBigUInt64LE(20))).toBe(written.length - 8);
    expect(written.includes('TIT2')).toBe(true);
    expect(await ffprobe(copy)).toMatchObject({
      title: [FIELDS.name],
      artist: [FIELDS.creator],
      copyright: ['(c) Ich'],
      date: ['2020'],
    });
    expect(await samplesOf(copy)).toBe(await samplesOf(file));
  });

  test('MP3 with ID3v2.2 keeps the version and all frames', async () => {
    const file = await made('sound.mp3', ['-id3v2_version', '0']);
    const frame = (id: string, body: string) => {
      const header = Buffer.alloc(6);
      header.write(id, 'latin1');
      header.writeUIntBE(body.length, 3, 3);
      return Buffer.concat([header, Buffer.from(body, 'latin1')]);
    };
    const kept = [
      frame('TRK', '\x003/12'),
      frame('COM', '\0engiTunNORM\0 0000'),
      frame('POP', 'a@b\0\x64\0\0\0\x03'),
      frame('PIC', '\0PNG\x03c\0\x89PNG\r\n\x1a\nxxx'),
      frame('XXY', 'unknown'),
      frame('GEO', '\0t/x\0f\0d\0data'),
    ];
    const list = Buffer.concat([frame('TT2', '\0Old'), ...kept]);
    const header = Buffer.from([0x49, 0x44, 0x33, 2, 0, 0, 0, 0, list.length >> 7, list.length & 0x7f]);
    await writeFile(file, Buffer.concat([header, list, await readFile(file)]));
    const copy = await embeddedTwice(file, { ...FIELDS, keywords: 'a, b' });
    const written = await readFile(copy);
    expect(written[3]).toBe(2);
    for (const one of kept) expect(written.includes(one)).toBe(true);
    expect(await python(copy)).toMatchObject({
      TIT2: [FIELDS.name],
      TPE1: [FIELDS.creator],
      'TXXX:KEYWORDS': ['a, b'],
      'TXXX:ISCC:NAME': [FIELDS.name],
    });
    expect(await samplesOf(copy)).toBe(await samplesOf(file));
  });
});
