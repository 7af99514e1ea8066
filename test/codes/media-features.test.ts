/** Simprints of parts of sounds and films. */
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { format as audio } from '../../src/services/codes/pipeline/formats/audio.js';
import { format as video } from '../../src/services/codes/pipeline/formats/video.js';
import { uploaded } from './support/client.js';
import { temporaryFolder } from './support/folder.js';
import { hasProgram, RECORDED, recorded } from './support/recorded.js';
import { fileBytes } from './support/reference.js';
import { startCodes } from './support/server.js';

const WANTED = { granular: true, granularMedia: true, compat: '0.9.7' } as const;

const fileOf = (name: string) => {
  const { path: place, file, result } = recorded(name);
  return { path: place, filename: file, mediatype: result?.mediatype ?? '' };
};

const pairs = (starts: readonly number[], sizes: readonly number[]) =>
  starts.map((start, at) => [start, start + (sizes[at] ?? 0)] as const);

describe.skipIf(!hasProgram('ffmpeg'))('granular features of media', () => {
  it.each(RECORDED.filter(({ mp7 }) => mp7 !== undefined).map(({ file }) => file))(
    'do not change the code of %s, and have the times of the film',
    async (name) => {
      const { features, ...rest } = await video.content({ ...fileOf(name), ...WANTED });
      const plain = await video.content({ ...fileOf(name), ...WANTED, granularMedia: false });
      expect(rest).toEqual(plain);
      const endMs = 1000 * ((rest.facts.duration ?? 0) + 1);
      for (const { subtype, simprints, offsets, sizes } of features ?? []) {
        expect(subtype).toBe('video');
        expect([offsets.length, sizes.length]).toEqual([simprints.length, simprints.length]);
        for (const [start, end] of pairs(offsets, sizes)) {
          expect(end).toBeGreaterThan(start);
          expect(end).toBeLessThanOrEqual(endMs);
        }
      }
    },
  );

  it('of a film have its shots', async () => {
    const folder = await temporaryFolder();
    const place = path.join(folder, 'two-shots.mp4');
    const shot = (source: string) => ['-f', 'lavfi', '-t', '1.6', '-i', `${source}=size=160x120:rate=25`];
    const joined = ['-filter_complex', 'concat=n=2'];
    execFileSync('ffmpeg', [
      '-loglevel',
      'error',
      ...shot('testsrc2'),
      ...shot('mandelbrot'),
      ...joined,
      place,
    ]);
    const file = { path: place, filename: 'two-shots.mp4', mediatype: 'video/mp4' };
    const { features = [] } = await video.content({ ...file, ...WANTED });
    expect(features).toMatchObject([
      { maintype: 'content', subtype: 'video', version: 0, offsets: [0, 1600], sizes: [1600, 1600] },
    ]);
  });

  it('of a sound, also of one in a container of films, are its windows', async () => {
    const content = await audio.content({ ...fileOf('song_a.m4a'), ...WANTED });
    const [set] = content.features ?? [];
    expect(set).toMatchObject({ maintype: 'content', subtype: 'audio', version: 0 });
    expect(set?.offsets.slice(0, 3)).toEqual([0, 247, 495]);
    expect(new Set(set?.sizes)).toEqual(new Set([4457]));
    const place = path.join(await temporaryFolder(), 'song.mp4');
    execFileSync('ffmpeg', [
      '-loglevel',
      'error',
      '-i',
      fileOf('song_a.m4a').path,
      '-map',
      '0:a',
      '-c',
      'copy',
      place,
    ]);
    const file = { path: place, filename: 'song.mp4', mediatype: 'video/mp4' };
    const inFilm = await video.content({ ...file, ...WANTED });
    expect(inFilm.mode).toBe('audio');
    expect(inFilm.features).toEqual(content.features);
  });

  it('are in results only if the service and the request ask for them', async () => {
    const features = async (url: string, name: string, query: string) =>
      (await uploaded(url, name, fileBytes(name), { query })).features as
        | { subtype: string; byte_offsets?: boolean }[]
        | undefined;
    const media = await startCodes({ config: { granularMedia: true } });
    try {
      expect(await features(media.url, 'song_a.mp3', '')).toMatchObject([{ subtype: 'audio' }]);
      expect(await features(media.url, 'scenes_a.mkv', '?granular=true')).toMatchObject([
        { subtype: 'video' },
      ]);
      expect(await features(media.url, 'song_a.mp3', '?granular=false')).toBeUndefined();
      const [text] = (await features(media.url, 'long_a.txt', '')) ?? [];
      expect(text).toMatchObject({ subtype: 'text', byte_offsets: true });
    } finally {
      await media.close();
    }
    const usual = await startCodes();
    try {
      expect(await features(usual.url, 'song_a.mp3', '?granular=true')).toBeUndefined();
    } finally {
      await usual.close();
    }
  });
});
