/** Metadata of videos in rare structures: Apple keys, keyed lists, covers in ASF files, and several video tracks. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { format } from '../../src/services/codes/pipeline/formats/video.js';
import { INSTALL_MAX_MS } from '../support/set-up.js';
import { exiftool, ffprobe, python, pythonReaders } from './support/independent.js';
import { hasProgram } from './support/recorded.js';

const run = promisify(execFile);
const exiftoolScript = createRequire(import.meta.url)('exiftool-vendored.pl') as string;
const FIELDS = { name: 'New name', description: 'New text', creator: 'New maker', rights: 'New rights' };
const OLD = ['title=Old', 'artist=Old', 'description=Old', 'genre=Kept'].flatMap((tag) => ['-metadata', tag]);
const OPTIONS = { granular: false, compat: '0.9.7' } as const;

let folder = '';
const at = (file: string) => path.join(folder, file);

function ffmpeg(args: readonly string[], target: string): Promise<unknown> {
  return run('ffmpeg', ['-v', 'error', '-y', '-fflags', '+bitexact', ...args, target], { cwd: folder });
}

const fileOf = (file: string, mediatype: string) => ({ path: at(file), filename: file, mediatype });

async function embed(file: string, mediatype: string, fields: object = FIELDS): Promise<void> {
  await format.embed?.(fileOf(file, mediatype), fields);
}

/** Hashes of the packets of all tracks. */
async function packets(file: string): Promise<string> {
  const args = ['-v', 'error', '-i', at(file), '-map', '0', '-c', 'copy', '-f', 'streamhash', '-'];
  return (await run('ffmpeg', args)).stdout;
}

describe.skipIf(!hasProgram('ffmpeg'))('metadata of videos', () => {
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'isccd-video-tags-'));
    await pythonReaders();
    const sources = ['testsrc=s=128x96:d=2', 'sine=d=2'].flatMap((one) => ['-f', 'lavfi', '-i', one]);
    await ffmpeg([...sources, '-c:v', 'mpeg4', '-c:a', 'aac'], 'plain.mp4');
    const cover = { width: 32, height: 32, channels: 3, background: '#c00' } as const;
    await sharp({ create: cover }).jpeg().toFile(at('cover.jpg'));
  }, INSTALL_MAX_MS);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('replaces the keys that Apple programs write', async () => {
    await ffmpeg(['-i', 'plain.mp4', '-c', 'copy'], 'phone.mov');
    const names = ['Title', 'DisplayName', 'Description', 'Author', 'Artist', 'Copyright', 'Keywords'];
    const old = [...names.map((name) => `-Keys:${name}=Old`), '-Keys:Make=Kept'];
    await run('perl', [exiftoolScript, '-q', '-overwrite_original', ...old, at('phone.mov')]);
    await embed('phone.mov', 'video/quicktime', { ...FIELDS, keywords: 'new, words' });
    expect(await exiftool(at('phone.mov'))).toMatchObject({
      'Keys:Title': ['New name'],
      'Keys:DisplayName': ['New name'],
      'Keys:Description': ['New text'],
      'Keys:Artist': ['New maker'],
      'Keys:Copyright': ['New rights'],
      'Keys:Keywords': ['new, words'],
      'Keys:Make': ['Kept'],
    });
    const found = await ffprobe(at('phone.mov'));
    expect(found).toMatchObject({
      title: ['New name'],
      'com.apple.quicktime.title': ['New name'],
      'com.apple.quicktime.description': ['New text'],
      'com.apple.quicktime.author': ['New maker'],
      'com.apple.quicktime.make': ['Kept'],
    });
    expect(JSON.stringify(found)).not.toContain('Old');
  });

  it('keeps Apple keys of fields that are not submitted', async () => {
    await ffmpeg(['-i', 'plain.mp4', '-c', 'copy'], 'phone2.mov');
    const old = ['-Keys:Title=Old', '-Keys:Description=Stays'];
    await run('perl', [exiftoolScript, '-q', '-overwrite_original', ...old, at('phone2.mov')]);
    await embed('phone2.mov', 'video/quicktime', { name: 'New name' });
    expect(await exiftool(at('phone2.mov'))).toMatchObject({
      'Keys:Title': ['New name'],
      'Keys:Description': ['Stays'],
    });
  });

  it.each([
    ['a keyed list', []],
    ['fragments', ['-movflags', '+frag_keyframe+empty_moov+use_metadata_tags']],
  ])('title, artist and description can be read from an MP4 with %s', async (_, args) => {
    const file = `keyed${args.length}.mp4`;
    const list = ['-movflags', 'use_metadata_tags', ...OLD, '-metadata', 'comment=Remark'];
    await ffmpeg(['-i', 'plain.mp4', '-c', 'copy', ...list, ...args], file);
    const before = await packets(file);
    await embed(file, 'video/mp4', { name: 'First', creator: 'First' });
    expect(await ffprobe(at(file))).toMatchObject({
      title: ['First'],
      description: ['Old'],
      comment: ['Remark'],
    });
    await embed(file, 'video/mp4');
    const found = await ffprobe(at(file));
    expect(found).toMatchObject({
      title: ['New name'],
      artist: ['New maker'],
      description: ['New text'],
      copyright: ['New rights'],
      genre: ['Kept'],
    });
    expect(JSON.stringify([found, await exiftool(at(file))])).not.toMatch(/Old|First/);
    if (args.length === 0) {
      const atoms = { '©nam': ['New name'], '©ART': ['New maker'], desc: ['New text'] };
      expect(await python(at(file))).toMatchObject(atoms);
    }
    expect(await packets(file)).toBe(before);
  });

  it.each([
    ['twice.mp4', 'video/mp4', ['-c', 'copy', '-movflags', 'frag_keyframe+empty_moov']],
    ['twice.flv', 'video/x-flv', ['-c:v', 'flv1', '-c:a', 'copy', '-ar', '44100']],
    ['twice.wmv', 'video/x-ms-wmv', ['-c:v', 'wmv2', '-c:a', 'wmav2']],
    ['twice.wma', 'audio/x-ms-wma', ['-vn', '-c:a', 'wmav2']],
  ])('the same fields twice make the same %s', async (file, mediatype, args) => {
    const tags = [...OLD, '-metadata', 'album=Kept', '-metadata', 'encoded_by=Kept'];
    await ffmpeg(['-i', 'plain.mp4', ...tags, ...args], file);
    await embed(file, mediatype);
    const first = await readFile(at(file));
    await embed(file, mediatype);
    expect((await readFile(at(file))).equals(first)).toBe(true);
    expect(JSON.stringify(await ffprobe(at(file)))).not.toContain('Old');
  });

  it('an FLV file keeps its encoder, and its key frames are where its table says', async () => {
    const sources = ['testsrc=s=128x96:r=10:d=3', 'sine=d=3'].flatMap((one) => ['-f', 'lavfi', '-i', one]);
    const made = [
      ...sources,
      ...OLD,
      '-c:v',
      'flv1',
      '-g',
      '10',
      '-flvflags',
      'add_keyframe_index',
      at('a.flv'),
    ];
    await run('ffmpeg', ['-v', 'error', '-y', ...made]);
    const before = await ffprobe(at('a.flv'));
    const hashes = await packets('a.flv');
    expect(before.encoder).toEqual([expect.stringContaining('Lavf')]);
    await embed('a.flv', 'video/x-flv');
    const first = await readFile(at('a.flv'));
    const { title, author, copyright, description, genre, encoder, lasttimestamp } = await ffprobe(
      at('a.flv'),
    );
    expect({ title, author, copyright, description }).toEqual({
      title: ['New name'],
      author: ['New maker'],
      copyright: ['New rights'],
      description: ['New text'],
    });
    expect({ genre, encoder, lasttimestamp }).toEqual({
      genre: ['Kept'],
      encoder: before.encoder,
      lasttimestamp: before.lasttimestamp,
    });
    expect(await packets('a.flv')).toBe(hashes);
    expect(first.readDoubleBE(first.indexOf('filesize') + 9)).toBe(first.length);
    const list = first.indexOf('filepositions') + 14;
    const count = first.readUInt32BE(list);
    expect(count).toBeGreaterThan(1);
    for (let index = 0; index < count; index += 1) {
      const position = first.readDoubleBE(list + 5 + 9 * index);
      // A video packet whose first frame is a key frame.
      expect([first[position], (first[position + 11] ?? 0) >> 4]).toEqual([9, 1]);
    }
    await embed('a.flv', 'video/x-flv');
    expect((await readFile(at('a.flv'))).equals(first)).toBe(true);
  });

  it('an FLV file with a damaged list of tags is left to FFmpeg', async () => {
    await ffmpeg(['-f', 'lavfi', '-i', 'testsrc=s=128x96:r=10:d=3', '-c:v', 'flv1'], 'bad.flv');
    const bytes = await readFile(at('bad.flv'));
    // An unknown type of value
    bytes[bytes.indexOf('duration') + 8] = 99;
    await writeFile(at('bad.flv'), bytes);
    const hashes = await packets('bad.flv');
    await embed('bad.flv', 'video/x-flv');
    expect(await packets('bad.flv')).toBe(hashes);
    expect((await ffprobe(at('bad.flv'))).title).toEqual(['New name']);
  });

  it('an ASF file keeps its cover, its sound and its encoder', async () => {
    const sound = ['-f', 'lavfi', '-i', 'sine=d=8', '-c:a', 'wmav2'];
    await run('ffmpeg', ['-v', 'error', ...sound, ...OLD, at('song.wma')]);
    const script = path.join(import.meta.dirname, 'support', 'asf_cover.py');
    await run('python3', [script, at('song.wma'), at('cover.jpg')], { env: await pythonReaders() });
    const before = { packets: await packets('song.wma'), tags: await ffprobe(at('song.wma')) };
    await embed('song.wma', 'audio/x-ms-wma');
    const tags = await ffprobe(at('song.wma'));
    expect(await packets('song.wma')).toBe(before.packets);
    expect(before.tags.encoder).toHaveLength(1);
    expect(tags).toMatchObject({ title: ['New name'], artist: ['New maker'], genre: ['Kept'] });
    expect(tags.encoder).toEqual(before.tags.encoder);
    expect(await python(at('song.wma'))).toMatchObject({
      Title: ['New name'],
      Author: ['New maker'],
      Description: ['New text'],
      Copyright: ['New rights'],
    });
    const content = await format.content({ ...fileOf('song.wma', 'audio/x-ms-wma'), ...OPTIONS });
    expect(content).toMatchObject({ mode: 'audio', metadata: FIELDS });
  });
});

describe.skipIf(!hasProgram('ffmpeg'))('a file with several video tracks', () => {
  const codeOf = async (file: string) =>
    (await format.content({ ...fileOf(file, 'video/x-matroska'), ...OPTIONS })).unit;
  const INPUTS = ['bars.mkv', 'moving.mkv'].flatMap((file) => ['-i', file]);
  const BOTH = [...INPUTS, '-map', '0', '-map', '1', '-c', 'copy'];
  const SECOND = ['-disposition:v:0', '0', '-disposition:v:1', 'default'];

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'isccd-video-tracks-'));
    const source = (one: string) => ['-f', 'lavfi', '-i', `${one}=s=128x96:d=2`, '-c:v', 'mpeg4'];
    await ffmpeg(source('smptebars'), 'bars.mkv');
    await ffmpeg(source('testsrc'), 'moving.mkv');
    await ffmpeg(['-i', 'bars.mkv', '-frames:v', '1', '-c:v', 'mjpeg', '-pix_fmt', 'yuvj420p'], 'frame.mkv');
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('has the code of the default track, as in the reference', async () => {
    await ffmpeg([...BOTH, ...SECOND], 'second.mkv');
    await ffmpeg([...BOTH, '-disposition:v:0', 'default', '-disposition:v:1', '0'], 'first.mkv');
    expect(await codeOf('second.mkv')).toEqual(await codeOf('moving.mkv'));
    expect(await codeOf('first.mkv')).toEqual(await codeOf('bars.mkv'));
    expect(await codeOf('first.mkv')).not.toEqual(await codeOf('second.mkv'));
  });

  it('has the size and the frame rate of the track of which the code is made', async () => {
    const wide = ['-f', 'lavfi', '-i', 'testsrc=s=192x96:d=2:r=10', '-c:v', 'mpeg4'];
    await ffmpeg(wide, 'wide.mkv');
    const both = ['-i', 'bars.mkv', '-i', 'wide.mkv', '-map', '0', '-map', '1', '-c', 'copy'];
    const none = ['-disposition:v:0', '0', '-disposition:v:1', '0'];
    const first = ['-disposition:v:0', 'default', '-disposition:v:1', '0'];
    for (const [file, disposition, facts] of [
      ['wide-default.mkv', SECOND, { width: 192, height: 96, fps: 10 }],
      ['wide-larger.mkv', none, { width: 192, height: 96, fps: 10 }],
      ['bars-default.mkv', first, { width: 128, height: 96, fps: 25 }],
    ] as const) {
      await ffmpeg([...both, ...disposition], file);
      const content = await format.content({ ...fileOf(file, 'video/x-matroska'), ...OPTIONS });
      expect(content.facts, file).toMatchObject(facts);
      const source = facts.width === 192 ? 'wide.mkv' : 'bars.mkv';
      expect(content.unit, file).toEqual(await codeOf(source));
    }
  });

  it('has the code of the film if its first track is a single picture', async () => {
    const inputs = ['-i', 'frame.mkv', '-i', 'moving.mkv', '-map', '0', '-map', '1', '-c', 'copy'];
    await ffmpeg([...inputs, ...SECOND], 'poster.mkv');
    expect(await codeOf('poster.mkv')).toEqual(await codeOf('moving.mkv'));
  });

  it('has the code of the film if a cover comes first and is larger', async () => {
    await sharp({ create: { width: 600, height: 600, channels: 3, background: '#00c' } })
      .jpeg()
      .toFile(at('large.jpg'));
    await ffmpeg(['-i', 'moving.mkv', '-c', 'copy'], 'moving.mp4');
    const inputs = ['-i', 'large.jpg', '-i', 'moving.mp4', '-map', '0', '-map', '1', '-c', 'copy'];
    await ffmpeg([...inputs, '-disposition:v:0', 'attached_pic'], 'cover.mp4');
    expect(await codeOf('cover.mp4')).toEqual(await codeOf('moving.mkv'));
  });
});
