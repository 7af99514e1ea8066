/** Video files, compared with recorded results of the reference. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { format, readVideo } from '../../src/services/codes/pipeline/formats/video.js';
import { FfmpegMissing } from '../../src/services/codes/tools/ffmpeg.js';
import { ToolFailed } from '../../src/services/codes/tools/process.js';
import {
  contentUnit,
  distance,
  EMBED_REQUEST,
  hasProgram,
  printTable,
  RECORDED,
  type Recorded,
  recorded,
} from './support/recorded.js';

const OPTIONS = { granular: true, compat: '0.9.7' } as const;
const VIDEO = RECORDED.filter(({ mp7 }) => mp7 !== undefined);

const VIDEO_ONLY = ['-map', '0'];
const COVER = ['-map', '1', '-disposition:v:1', 'attached_pic'];
const CHAPTERS = ['-map_chapters', '2', '-map_metadata', '2'];
const BOTH = [...CHAPTERS, ...VIDEO_ONLY];
const FRONT = ['-movflags', 'faststart'];
const MIMETYPE = ['-metadata:s:t', 'mimetype=image/jpeg', '-metadata:s:t', 'filename=cover.jpg'];
const ATTACHED = ['-attach', 'cover.jpg', ...MIMETYPE];

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'isccd-video-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const fileOf = (one: Recorded, at = one.path) => ({
  path: at,
  filename: one.file,
  mediatype: one.result?.mediatype ?? '',
});

describe.skipIf(!hasProgram('ffmpeg'))('video', () => {
  it('codes equal the reference, or differ by at most 2 % of the bits', async () => {
    const rows: [string, number][] = [];
    for (const one of VIDEO) {
      const { unit } = await format.content({ ...fileOf(one), ...OPTIONS });
      rows.push([one.file, distance(unit, contentUnit(one))]);
    }
    printTable('Video-Code, distance to the reference', rows);
    expect(rows.length).toBeGreaterThan(5);
    // Recorded with Debian's FFmpeg; another version may decode a frame differently.
    expect(Math.max(...rows.map(([, bits]) => bits))).toBeLessThanOrEqual(0.02 * 256);
    expect(rows.filter(([, bits]) => bits === 0).length / rows.length).toBeGreaterThanOrEqual(0.8);
  });

  it.each(VIDEO)('$file has the recorded tags, size, rate, duration and language', async (one) => {
    const { metadata, facts } = await format.content({ ...fileOf(one), ...OPTIONS });
    expect({ ...metadata, ...facts }).toEqual(one.extract_metadata);
    expect(await format.metadata(fileOf(one))).toEqual(metadata);
  });

  it.each(VIDEO)('the thumbnail of $file has the recorded size', async (one) => {
    const { thumbnail = '' } = await format.content({ ...fileOf(one), ...OPTIONS });
    const image = sharp(Buffer.from(thumbnail.replace('data:image/webp;base64,', ''), 'base64'));
    expect(await image.metadata()).toMatchObject({ format: 'webp', ...(one.thumbnail_info && size(one)) });
  });

  it.each(VIDEO.filter(({ embed }) => embed?.reextracted))(
    '$file keeps its code and stores the fields that the reference embeds',
    async (one) => {
      const copy = path.join(folder, one.file);
      await copyFile(one.path, copy);
      await format.embed?.(fileOf(one, copy), EMBED_REQUEST);
      const { unit, metadata, facts } = await format.content({ ...fileOf(one, copy), ...OPTIONS });
      expect(unit).toBe(contentUnit(one));
      expect({ ...metadata, ...facts }).toMatchObject({ ...one.embed?.reextracted, ...EMBED_REQUEST });
      expect(hashes(copy)).toBe(hashes(one.path));
    },
  );

  const all: { name?: string } = {};
  it.each<{ name?: string; description?: string; rights?: string }>([
    { name: '-i = ; # \\ "x"', description: 'first\nsecond\n; third=3' },
    { name: 'C:\\new', description: 'first\nC:\\next' },
    // The name of the previous case is kept, and its marker.
    { description: 'first\nsecond' },
    { rights: 'C:\\next\nline' },
  ])('preserves line breaks and special characters in values: $name', async (fields) => {
    Object.assign(all, fields);
    for (const file of ['test_a.mp4', 'scenes_a.mkv', 'rgb_a.ogv']) {
      const one = recorded(file);
      const copy = path.join(folder, `special-${file}`);
      if (!existsSync(copy)) await copyFile(one.path, copy);
      await format.embed?.(fileOf(one, copy), fields);
      expect(await format.metadata(fileOf(one, copy))).toEqual(all);
      const { name = '' } = all;
      expect(exiftool(copy)).toContain(name.replaceAll('\\', '\\\\').replaceAll('"', '\\"'));
    }
  });

  describe('embedding keeps tracks, covers and chapters', () => {
    /** Arguments that mux each file from video, picture and chapters, and what ExifTool must still find in it. */
    const CASES: readonly (readonly [
      file: string,
      mediatype: string,
      args: readonly string[],
      has: string,
    ])[] = [
      ['end.mp4', 'video/mp4', [...BOTH, ...COVER], 'CoverArt'],
      ['front.mp4', 'video/mp4', [...BOTH, ...COVER, ...FRONT], 'CoverArt'],
      ['place.mov', 'video/quicktime', ['-map', '0', '-metadata', 'location=+12+34/', ...FRONT], '12 deg 0'],
      ['fragments.mp4', 'video/mp4', ['-map', '0', '-movflags', 'frag_keyframe+empty_moov'], 'video/mp4'],
      ['phone.3gp', 'video/3gpp', ['-map', '0:v'], 'video/3gpp'],
      ['attached.mkv', 'video/x-matroska', [...CHAPTERS, ...VIDEO_ONLY, ...ATTACHED], '"cover.jpg"'],
      [
        'pages.ogv',
        'video/ogg',
        [...VIDEO_ONLY, '-codec:v', 'libtheora', '-codec:a', 'libvorbis'],
        'video/ogg',
      ],
    ];

    beforeAll(async () => {
      await sharp({ create: { width: 32, height: 32, channels: 3, background: '#c00' } })
        .jpeg()
        .toFile(path.join(folder, 'cover.jpg'));
      const chapter = (name: string, start: number) =>
        `[CHAPTER]\nTIMEBASE=1/10\nSTART=${start}\nEND=${start + 10}\ntitle=${name}\n`;
      await writeFile(
        path.join(folder, 'chapters.txt'),
        `;FFMETADATA1\ntitle=Old\n${chapter('One', 0)}${chapter('Two', 10)}`,
      );
    });

    it.each(CASES)('%s', async (file, mediatype, args, has) => {
      const at = path.join(folder, file);
      const inputs = [recorded('tagged_a.mp4').path, 'cover.jpg', 'chapters.txt'].flatMap((one) => [
        '-i',
        one,
      ]);
      run('ffmpeg', ['-loglevel', 'error', ...inputs, '-codec', 'copy', ...args, at]);
      const before = { tracks: tracks(at), hashes: hashes(at) };
      for (const name of ['First', 'Zweiter für alle']) {
        await format.embed?.({ path: at, filename: file, mediatype }, { name });
        expect({ tracks: tracks(at), hashes: hashes(at) }).toEqual(before);
        expect(await format.metadata({ path: at, filename: file, mediatype })).toMatchObject({ name });
      }
      const report = exiftool(at);
      expect(report).toContain('Zweiter für alle');
      expect(report).not.toContain('"Clip sa"');
      expect(report).toContain(has);
    });
  });

  it('rejects embedding into a container without tags', async () => {
    const one = recorded('test_a.mp4');
    const file = { ...fileOf(one), mediatype: 'video/h264' };
    await expect(format.embed?.(file, EMBED_REQUEST)).rejects.toMatchObject({
      code: 'EMBEDDING_UNSUPPORTED',
    });
  });

  it('rejects files that are not video, and reads audio without a video stream as audio', async () => {
    const file = path.join(folder, 'noise.mp4');
    await writeFile(file, Buffer.alloc(5000, 0x5a));
    const noise = { path: file, filename: 'noise.mp4', mediatype: 'video/mp4' };
    await expect(format.content({ ...noise, ...OPTIONS })).rejects.toThrow(ToolFailed);
    const song = await format.content({ ...fileOf(recorded('song_a.flac')), ...OPTIONS });
    expect(song).toMatchObject({ mode: 'audio', unit: contentUnit(recorded('song_a.flac')) });
  });

  it('reports an ffmpeg built without the signature filter', async () => {
    const ffmpeg = path.join(folder, 'small-ffmpeg');
    await writeFile(
      ffmpeg,
      '#!/bin/sh\ncase "$*" in *-filters*) echo " ... scale V->V x";; *) exit 1;; esac\n',
    );
    await chmod(ffmpeg, 0o755);
    const reading = readVideo({ ffmpeg, ffprobe: 'ffprobe' }, fileOf(recorded('test_a.mp4')), '0.9.7');
    await expect(reading).rejects.toThrow(FfmpegMissing);
    await expect(reading).rejects.toThrow(/filter "signature"/);
  });
});

/** Runs a program in the test folder and returns its standard output. */
function run(program: string, args: readonly string[]): string {
  return execFileSync(program, args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}

const tool = createRequire(import.meta.url)('exiftool-vendored.pl') as string;
const exiftool = (file: string) => run('perl', [tool, '-json', file]);

/** Type, codec, size and tags of all tracks, and the chapters. */
function tracks(file: string): unknown {
  const entries =
    'stream=codec_name,codec_type,width,height:stream_disposition=attached_pic:stream_tags=filename,mimetype,language:chapter=start_time:chapter_tags';
  return JSON.parse(run('ffprobe', ['-loglevel', 'error', '-of', 'json', '-show_entries', entries, file]));
}

/** Hashes of the data of all video and audio tracks. */
function hashes(file: string): string {
  const streams = ['-map', '0:v', '-map', '0:a?', '-codec', 'copy'];
  return run('ffmpeg', ['-loglevel', 'error', '-i', file, ...streams, '-f', 'streamhash', '-']);
}

function size({ thumbnail_info }: Recorded): { width: number; height: number } {
  return { width: thumbnail_info?.width ?? 0, height: thumbnail_info?.height ?? 0 };
}
