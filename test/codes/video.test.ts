/** Video files against the recorded results of the reference. */
import { chmod, copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { format, readVideo } from '../../src/codes/pipeline/formats/video.js';
import { NoTagsInFormat } from '../../src/codes/pipeline/formats/video-embed.js';
import { FfmpegMissing } from '../../src/codes/pipeline/tools/ffmpeg.js';
import { ToolFailed } from '../../src/codes/pipeline/tools/process.js';
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
  it('codes are the reference’s', async () => {
    const rows: [string, number][] = [];
    for (const one of VIDEO) {
      const { unit } = await format.content(fileOf(one), OPTIONS);
      rows.push([one.file, distance(unit, contentUnit(one))]);
    }
    printTable('Video-Code, distance to the reference', rows);
    expect(rows.length).toBeGreaterThan(5);
    // Recorded with Debian's FFmpeg; another version may decode a frame differently.
    expect(Math.max(...rows.map(([, bits]) => bits))).toBeLessThanOrEqual(0.02 * 256);
    expect(rows.filter(([, bits]) => bits === 0).length / rows.length).toBeGreaterThanOrEqual(0.8);
  });

  it.each(VIDEO)('$file has the recorded tags, size, rate, duration and language', async (one) => {
    const { metadata, facts } = await format.content(fileOf(one), OPTIONS);
    expect({ ...metadata, ...facts }).toEqual(one.extract_metadata);
    expect(await format.metadata(fileOf(one))).toEqual(metadata);
  });

  it.each(VIDEO)('$file has a picture of the recorded size', async (one) => {
    const { thumbnail = '' } = await format.content(fileOf(one), OPTIONS);
    const image = sharp(Buffer.from(thumbnail.replace('data:image/webp;base64,', ''), 'base64'));
    expect(await image.metadata()).toMatchObject({ format: 'webp', ...(one.thumbnail_info && size(one)) });
  });

  it.each(VIDEO.filter(({ embed }) => embed?.reextracted))(
    '$file keeps its code and takes what the reference embeds',
    async (one) => {
      const copy = path.join(folder, one.file);
      await copyFile(one.path, copy);
      await format.embed?.(fileOf(one, copy), EMBED_REQUEST);
      const { unit, metadata, facts } = await format.content(fileOf(one, copy), OPTIONS);
      expect(unit).toBe(contentUnit(one));
      expect({ ...metadata, ...facts }).toEqual(one.embed?.reextracted);
    },
  );

  it('line breaks and special characters in a value survive', async () => {
    const one = recorded('test_a.mp4');
    const copy = path.join(folder, 'special.mp4');
    await copyFile(one.path, copy);
    const fields = { name: '-i = ; # \\ "x"', description: 'first\nsecond\n; third=3' };
    await format.embed?.(fileOf(one, copy), fields);
    expect(await format.metadata(fileOf(one, copy))).toEqual(fields);
  });

  it('does not embed where a container has no tags', async () => {
    const one = recorded('test_a.mp4');
    const file = { ...fileOf(one), mediatype: 'video/h264' };
    await expect(format.embed?.(file, EMBED_REQUEST)).rejects.toThrow(NoTagsInFormat);
  });

  it('refuses bytes that are no video, and sound without pictures', async () => {
    const file = path.join(folder, 'noise.mp4');
    await writeFile(file, Buffer.alloc(5000, 0x5a));
    const noise = { path: file, filename: 'noise.mp4', mediatype: 'video/mp4' };
    await expect(format.content(noise, OPTIONS)).rejects.toThrow(ToolFailed);
    await expect(format.content(fileOf(recorded('song_a.flac')), OPTIONS)).rejects.toThrow();
  });

  it('says when ffmpeg was built without the signature filter', async () => {
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

function size({ thumbnail_info }: Recorded): { width: number; height: number } {
  return { width: thumbnail_info?.width ?? 0, height: thumbnail_info?.height ?? 0 };
}
