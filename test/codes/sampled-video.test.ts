/** Decoding without the frames that nothing needs (`crates/tool-host`): the same signatures and pictures. */
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hostedDecoding, readPictures } from '../../src/services/codes/pipeline/formats/video-pictures.js';
import { ffmpeg, input } from '../../src/services/codes/tools/ffmpeg.js';
import { probe } from '../../src/services/codes/tools/probe.js';
import { runTool } from '../../src/services/codes/tools/process.js';
import { run } from '../support/command.js';
import { hasProgram } from './support/recorded.js';

const TOOLS = { ffmpeg: 'ffmpeg', ffprobe: 'ffprobe' };
const X264 = ['-codec:v', 'libx264', '-preset', 'ultrafast', '-bf', '3', '-b_strategy', '0'];
const MPEG2 = ['-codec:v', 'mpeg2video', '-bf', '2'];
const source = (rate: string, seconds: number, filter = 'null') =>
  ['-f', 'lavfi', '-i', `testsrc2=size=192x128:rate=${rate}:duration=${seconds},${filter}`] as const;

/** Name, and arguments that make the file. */
const FILMS: readonly (readonly [string, readonly string[]])[] = [
  ['25.mp4', [...source('25', 10), ...X264]],
  ['59.94.mkv', [...source('60000/1001', 5), ...X264, '-x264-params', 'b-pyramid=strict']],
  ['open.ts', [...source('25', 10), ...X264, '-x264-params', 'open-gop=1:keyint=20']],
  [
    'gaps.mp4',
    [...source('30', 12, 'select=mod(n\\,7)*not(between(n\\,200\\,240))'), ...X264, '-vsync', 'vfr'],
  ],
  ['few.mp4', [...source('4', 40), ...X264]],
  ['interlaced.ts', [...source('25', 10), ...MPEG2, '-flags', '+ildct+ilme']],
  ['mpeg.mpg', [...source('25', 10), ...MPEG2]],
  ['edits.mp4', ['-ss', '1.37', '-i', '25.mp4', '-codec', 'copy']],
  ['parts.mp4', ['-i', '25.mp4', '-codec', 'copy', '-movflags', 'frag_keyframe+empty_moov']],
  ['without-times.avi', ['-i', '25.mp4', '-codec', 'copy']],
];

let folder = '';
const at = (name: string) => path.join(folder, name);

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'isccd-sampled-'));
  for (const [name, args] of FILMS)
    await run('ffmpeg', ['-loglevel', 'error', ...args, '-pix_fmt', 'yuv420p', name], { cwd: folder });
}, 60_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

async function hostedOf(file: string, threads: number) {
  const hosted = hostedDecoding(await probe(TOOLS, file), threads);
  if (hosted === undefined) throw new Error('a host cannot decode this');
  return hosted;
}

/** Signature and picture with all frames, and as decoded by a host. */
async function both(file: string, threads: number) {
  const hosted = await hostedOf(file, threads);
  const place = { path: file };
  return [await readPictures(TOOLS, place, '0.9.7'), await readPictures(TOOLS, place, '0.9.7', { hosted })];
}

describe.skipIf(!hasProgram('ffmpeg') || process.platform !== 'linux')('a sampled film', () => {
  it.each(FILMS)('%s has the pictures of all frames', async (name) => {
    for (const threads of [1, 2]) {
      const [all, sampled] = await both(at(name), threads);
      expect(sampled).toEqual(all);
    }
  });

  it.each(['25.mp4', 'open.ts', 'mpeg.mpg'])('%s has them when it is damaged', async (name) => {
    const bytes = await readFile(at(name));
    for (const share of [0.4, 0.6, 0.8]) {
      const place = Math.floor(bytes.length * share);
      bytes.writeUInt8(bytes.readUInt8(place) ^ 4, place);
    }
    const damaged = at(`damaged-${name}`);
    await writeFile(damaged, bytes);
    const [all, sampled] = await both(damaged, 2);
    expect(sampled).toEqual(all);
  });

  it('has fewer decoded frames', async () => {
    const decoded = async (hosted?: Awaited<ReturnType<typeof hostedOf>>) => {
      const args = [...'-nostdin -loglevel verbose'.split(' '), ...input(at('25.mp4')), '-f', 'null', '-'];
      const limits = { durationMaxMs: 10_000, memoryMaxBytes: 3 * 1024 ** 3, fileMaxBytes: 1024 ** 2 };
      const hostedArgs = hosted && [`isccd:sampled=${hosted.sampled}`, ...args];
      const messages = await runTool('ffmpeg', args, () => undefined, {
        staysLoaded: true,
        limits,
        hostedArgs,
      });
      return Number(/(\d+) frames decoded/.exec(messages)?.[1]);
    };
    expect(await decoded()).toBe(250);
    // The first 100 for the thumbnail, one of two for the others.
    const some = await decoded(await hostedOf(at('25.mp4'), 1));
    expect(some).toBeGreaterThan(150);
    expect(some).toBeLessThan(215);
  });

  it('fails alone if an error shows that dropped frames may count, or that threads may', async () => {
    const file = at('cut.ts');
    await copyFile(at('open.ts'), file);
    const bytes = await readFile(file);
    const place = Math.floor(bytes.length * 0.8);
    bytes.fill(0x55, place, place + 3000);
    await writeFile(file, bytes);
    for (const threads of [1, 2]) {
      const hosted = await hostedOf(file, threads);
      const args = [...input(file), '-f', 'null', '-'];
      await expect(ffmpeg(TOOLS, args, () => undefined, { hosted })).rejects.toThrow('ended with 75');
      const [all, sampled] = await both(file, threads);
      expect(sampled).toEqual(all);
    }
  });
});
