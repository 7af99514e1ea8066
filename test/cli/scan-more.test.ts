/** `isccd scan`: mirrored and turned pictures, passages of texts, Live Photos. */
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import sharp from 'sharp';
import { expect, it, vi } from 'vitest';
import { livePhotos, withoutFilms } from '../../src/cli/scan/live-photos.js';
import type { ScannedFile } from '../../src/cli/scan/records.js';
import { temporaryFolder } from '../codes/support/folder.js';
import { isccd, run } from '../support/command.js';

// Some tests run the command many times.
vi.setConfig({ testTimeout: 120_000 });

const PHOTO = new URL('../fixtures/codes/files/photo_a.png', import.meta.url);

interface Member {
  readonly path: string;
  readonly symmetry?: string;
}

interface Report {
  readonly passages?: number;
  readonly groups: readonly { readonly kind: string; readonly members: readonly Member[] }[];
}

async function scan(folder: string, ...options: string[]): Promise<Report> {
  const { stdout } = await isccd(['scan', 'in', '--json', ...options], { cwd: folder });
  return JSON.parse(stdout) as Report;
}

it('groups mirrored and turned pictures with --symmetries, and says how they look', async () => {
  const folder = await temporaryFolder();
  const place = (name: string) => path.join(folder, 'in', name);
  await mkdir(path.join(folder, 'in'));
  await copyFile(PHOTO, place('a.png'));
  const picture = sharp(await readFile(PHOTO));
  await picture.clone().flop().toFile(place('mirrored.png'));
  await picture.clone().rotate(90).toFile(place('right.png'));
  expect((await scan(folder)).groups).toEqual([]);
  const { groups } = await scan(folder, '--symmetries');
  expect(groups).toHaveLength(1);
  const how = Object.fromEntries(
    groups[0]?.members.map((one) => [path.basename(one.path), one.symmetry]) ?? [],
  );
  expect(how).toMatchObject({ 'mirrored.png': 'mirrored', 'right.png': 'turned right' });
  const csv = await readFile(path.join(folder, 'isccd-scan/report.csv'), 'utf8');
  expect(csv).toMatch(/mirrored\.png,.*,mirrored\r\n/);
  // Results of a program that made no such codes are completed.
  const results = path.join(folder, 'isccd-scan/results.ndjson');
  const old = (await readFile(results, 'utf8')).replaceAll(/,"symmetries":\[[^\]]*\]/g, '');
  await writeFile(results, old);
  expect((await scan(folder, '--symmetries')).groups).toHaveLength(1);
});

it('reports passages that texts share with --passages', async () => {
  const folder = await temporaryFolder();
  await mkdir(path.join(folder, 'in'));
  const sentences = (topic: string, count: number) =>
    Array.from(
      { length: count },
      (_, at) => `The ${topic} number ${at * at + 7} is not like the ${at}th one. `,
    ).join('');
  const common = sentences('passage that both letters have', 60);
  await writeFile(path.join(folder, 'in/a.txt'), sentences('apple', 90) + common + sentences('axe', 90));
  await writeFile(path.join(folder, 'in/b.txt'), sentences('boat', 110) + common + sentences('bell', 70));
  await writeFile(path.join(folder, 'in/c.txt'), sentences('cloud', 200));
  const plain = await scan(folder);
  expect(plain.passages).toBeUndefined();
  const { passages } = await scan(folder, '--passages');
  expect(passages).toBeGreaterThan(0);
  const [head, ...rows] = (await readFile(path.join(folder, 'isccd-scan/passages.csv'), 'utf8'))
    .trimEnd()
    .split('\r\n');
  expect(head).toBe('passage,path,offset,bytes');
  const files = new Set(rows.map((row) => path.basename(row.split(',')[1] ?? '')));
  expect(files).toEqual(new Set(['a.txt', 'b.txt']));
});

const file = (name: string, mediatype: string, duration?: number) =>
  ({ path: name, mediatype, duration }) as ScannedFile;

it('takes a picture and a short film of the same name for one item', () => {
  const all = [
    file('x/IMG_1.HEIC', 'image/heic'),
    file('x/img_1.MOV', 'video/quicktime', 2.8),
    file('y/IMG_1.HEIC', 'image/heic'),
    file('y/IMG_1.MOV', 'video/quicktime', 2.8),
    file('x/DSC_2.JPG', 'image/jpeg'),
    file('x/DSC_2.MOV', 'video/quicktime', 60),
    file('z/IMG_1.MOV', 'video/quicktime', 2.8),
  ];
  const [picture, film, otherPicture, otherFilm, , longFilm, aloneFilm] = all as [
    ScannedFile,
    ScannedFile,
    ScannedFile,
    ScannedFile,
    ScannedFile,
    ScannedFile,
    ScannedFile,
  ];
  const films = livePhotos(all);
  expect([...films]).toEqual([
    [film, picture],
    [otherFilm, otherPicture],
  ]);
  const group = (...files: ScannedFile[]) =>
    ({ kind: 'duplicates', members: files.map((one) => ({ file: one })) }) as const;
  const pictures = group(picture, otherPicture);
  expect(withoutFilms([pictures, group(film, otherFilm)], films)).toEqual([pictures]);
  // A film without its picture is not said by the group of pictures.
  const three = group(film, otherFilm, aloneFilm);
  expect(withoutFilms([pictures, three], films)).toEqual([pictures, three]);
  const others = group(longFilm, aloneFilm);
  expect(withoutFilms([others], films)).toEqual([others]);
});

it('takes a picture and a film with the same content identifier for one item, whatever their names', () => {
  const one = (name: string, mediatype: string, contentIdentifier?: string, duration = 2.8) =>
    ({ path: name, mediatype, duration, contentIdentifier }) as ScannedFile;
  const all = [
    one('x/IMG_1.HEIC', 'image/heic', 'A'),
    one('y/renamed.jpg', 'image/jpeg', 'A'),
    one('y/film.mov', 'video/quicktime', 'A', 9),
    one('z/film.mov', 'video/quicktime', 'A'),
    one('x/IMG_2.HEIC', 'image/heic', 'B'),
    one('x/IMG_2.MOV', 'video/quicktime', 'C'),
    one('x/IMG_3.HEIC', 'image/heic', 'D'),
    one('x/IMG_3.MOV', 'video/quicktime'),
  ];
  const pairs = [...livePhotos(all)].map(([film, picture]) => [film.path, picture.path]);
  expect(pairs).toEqual([
    ['y/film.mov', 'y/renamed.jpg'],
    ['z/film.mov', 'x/IMG_1.HEIC'],
    ['x/IMG_3.MOV', 'x/IMG_3.HEIC'],
  ]);
});

/** A segment of a JPEG with the note of an Apple camera that names a content identifier. */
function appleSegment(identifier: string): Buffer {
  const number = (value: number, bytes: number) => {
    const buffer = Buffer.alloc(bytes);
    buffer.writeUIntBE(value, 0, bytes);
    return buffer;
  };
  const entry = (tag: number, kind: number, count: number, value: number) =>
    Buffer.concat([
      number(1, 2),
      number(tag, 2),
      number(kind, 2),
      number(count, 4),
      number(value, 4),
      number(0, 4),
    ]);
  const text = Buffer.from(`${identifier}\0`);
  const start = Buffer.from('Apple iOS\0\0\x01MM', 'latin1');
  const note = Buffer.concat([start, entry(0x0011, 2, text.length, start.length + 18), text]);
  const exif = [
    Buffer.from('MM\0*\0\0\0\x08', 'latin1'),
    entry(0x8769, 4, 1, 26),
    entry(0x927c, 7, note.length, 44),
  ];
  const content = Buffer.concat([Buffer.from('Exif\0\0'), ...exif, note]);
  return Buffer.concat([number(0xffe1, 2), number(content.length + 2, 2), content]);
}

it('reads content identifiers of pictures and films', async () => {
  const folder = await temporaryFolder();
  const place = (name: string) => path.join(folder, 'in', name);
  await mkdir(path.join(folder, 'in/copy'), { recursive: true });
  const jpeg = await sharp(await readFile(PHOTO))
    .jpeg()
    .toBuffer();
  const picture = Buffer.concat([jpeg.subarray(0, 2), appleSegment('1F-2'), jpeg.subarray(2)]);
  await writeFile(place('still.jpg'), picture);
  await writeFile(place('copy/IMG_9.jpg'), picture);
  const film = [
    '-f',
    'lavfi',
    '-i',
    'testsrc=d=2:s=320x240',
    '-c:v',
    'mpeg4',
    '-movflags',
    'use_metadata_tags',
  ];
  const key = 'com.apple.quicktime.content.identifier';
  const made = await run('ffmpeg', ['-v', 'error', ...film, '-metadata', `${key}=1F-2`, place('motion.mov')]);
  expect(made.code, made.stderr).toBe(0);
  await copyFile(place('motion.mov'), place('copy/other.mov'));
  const { groups } = await scan(folder);
  expect(groups.map(({ kind, members }) => [kind, members.length])).toEqual([['duplicates', 2]]);
  const inventory = await readFile(path.join(folder, 'isccd-scan/inventory.csv'), 'utf8');
  expect(inventory).toMatch(/^in\/motion\.mov,.*,in\/still\.jpg,,\r$/m);
  expect(inventory).toMatch(/^in\/copy\/other\.mov,.*,in\/copy\/IMG_9\.jpg,,\r$/m);
});
