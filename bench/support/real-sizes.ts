/**
 * Files of the sizes that archives and broadcasters have, one at a time and one per core: wall time, processor time and peak
 * memory next to those of iscc-sdk on the same file. The files are made once and kept.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ARGUMENTS, QUICK, quickOr } from './options.js';
import { type Cost, costOf, type Tree } from './process-tree.js';

/** One of the compared programs. */
export interface Side {
  readonly tree: Tree;
  code(file: string): Promise<string>;
}

export interface Sides {
  /** `undefined` if it cannot be installed. */
  readonly theirs: Side | undefined;
  readonly ours: Side;
}

type Maker = readonly string[] | (() => string);

const FOLDER = path.resolve(import.meta.dirname, '../.peers', quickOr('short-sizes', 'real-sizes'));
/** `long` adds films of 10 minutes, sound of an hour, and larger photos. */
const IS_LONG = ARGUMENTS.includes('long');

const film = (size: string, rate: string, seconds: number, ...codec: string[]) => [
  ...['-f', 'lavfi', '-i', `testsrc2=size=${quickOr('192x108', size)}:rate=${rate},noise=alls=6:allf=t`],
  ...['-t', String(quickOr(5, seconds)), '-pix_fmt', 'yuv420p', ...codec],
];
const H264 = ['-c:v', 'libx264', '-preset', 'veryfast', '-bf', '3'];
const MPEG2 = ['-c:v', 'mpeg2video', '-bf', '2', '-b:v', '8M', '-flags', '+ildct+ilme'];
const tones = (seconds: number) => [
  ...['-f', 'lavfi', '-i'],
  `aevalsrc=0.3*sin(440*2*PI*t+3*sin(3*t))+0.1*random(0)|0.3*sin(220*2*PI*t):d=${quickOr(5, seconds)}:s=44100`,
];
const photo = (size: string) => [
  ...['-f', 'lavfi', '-i', `testsrc2=size=${quickOr('600x400', size)},noise=alls=6`, '-frames:v', '1'],
];
const from = (file: string, ...options: string[]) => ['-i', file, ...options];

/** Names of the files, and how each is made: arguments of `ffmpeg`, or the content. Later files are made from earlier ones. */
const FILES: readonly (readonly [string, Maker])[] = [
  ['film 1 min 720p H.264.mp4', film('1280x720', '25', 60, ...H264)],
  ['film 1 min 576i MPEG-2.mpg', film('720x576', '25', 60, ...MPEG2)],
  ['sound 10 min.wav', tones(600)],
  ['sound 10 min.mp3', from('sound 10 min.wav', '-c:a', 'libmp3lame', '-b:a', '192k')],
  ['sound 10 min.m4a', from('sound 10 min.wav', '-c:a', 'aac', '-b:a', '128k')],
  ['sound 10 min.flac', from('sound 10 min.wav')],
  ['photo 24 MP.png', photo('6000x4000')],
  ['photo 24 MP.jpg', from('photo 24 MP.png', '-q:v', '3')],
  ['photo 24 MP.webp', from('photo 24 MP.png', '-quality', '80')],
  ['photo 24 MP LZW.tif', from('photo 24 MP.png', '-compression_algo', 'lzw')],
  ['text 12 MB.txt', () => words(quickOr(100, 1_900_000))],
];

const LONG_FILES: readonly (readonly [string, Maker])[] = [
  ['film 1 min 1080p 59.94 H.264.mp4', film('1920x1080', '60000/1001', 60, ...H264)],
  ['film 10 min 720p H.264.mp4', film('1280x720', '25', 600, ...H264)],
  ['film 1 min 720p HEVC.mp4', film('1280x720', '25', 60, '-c:v', 'libx265', '-preset', 'ultrafast')],
  ['film 1 min 720p VP9.webm', film('1280x720', '25', 60, '-c:v', 'libvpx-vp9', '-cpu-used', '8')],
  ['sound 60 min.flac', tones(3600)],
  ['photo 100 MP.jpg', photo('12000x8400')],
  ['text 100 MB.txt', () => words(15_000_000)],
];

/** Words of a fixed sequence, in lines. */
function words(count: number): string {
  let state = 1;
  const word = () => {
    state = (state * 48_271) % 2_147_483_647;
    return state.toString(36);
  };
  return Array.from({ length: count }, (_, index) => word() + (index % 12 === 11 ? '\n' : ' ')).join('');
}

function made(name: string, maker: Maker): string {
  const file = path.join(FOLDER, name);
  if (existsSync(file)) return file;
  mkdirSync(FOLDER, { recursive: true });
  // A file that is not complete has another name.
  const partial = path.join(FOLDER, `partial-${name}`);
  if (typeof maker === 'function') writeFileSync(partial, maker());
  else execFileSync('ffmpeg', ['-loglevel', 'error', '-nostdin', '-y', ...maker, partial], { cwd: FOLDER });
  renameSync(partial, file);
  return file;
}

/** Prints a row per file. `together` is the number of files at once in the last columns. */
export async function compareSizes({ theirs, ours }: Sides, together: number): Promise<void> {
  const wide = [`s per file, ${together} at once`];
  const columns = ['MB', 'iscc-sdk s', 'CPU s', 'MiB', 'isccd s', 'CPU s', 'MiB', ...wide];
  console.log(['real sizes', ...columns, 'wall', 'CPU', 'codes equal'].join('\t'));
  for (const [name, maker] of [...FILES, ...(IS_LONG && !QUICK ? LONG_FILES : [])])
    await compareFile(name, made(name, maker), { theirs, ours }, together);
}

async function compareFile(
  name: string,
  file: string,
  { theirs, ours }: Sides,
  together: number,
): Promise<void> {
  // The first run of each side loads modules, and does not count.
  const code = await ours.code(file);
  const equal = theirs && (await theirs.code(file)) === code;
  const sdk = theirs && (await costOf(theirs.tree, () => theirs.code(file))).cost;
  const { cost: own } = await costOf(ours.tree, () => ours.code(file));
  const all = () => Promise.all(Array.from({ length: together }, () => ours.code(file)));
  const { cost: wide } = await costOf(ours.tree, all);
  const figures = (cost: Cost | undefined) =>
    cost ? [cost.seconds.toFixed(2), cost.cpuSeconds.toFixed(2), cost.peakMib.toFixed(0)] : ['-', '-', '-'];
  const ratio = (of: 'seconds' | 'cpuSeconds') => (sdk ? `${(sdk[of] / own[of]).toFixed(2)}x` : '-');
  const megabytes = (statSync(file).size / 1e6).toFixed(1);
  const row = [name, megabytes, ...figures(sdk), ...figures(own), (wide.seconds / together).toFixed(2)];
  console.log([...row, ratio('seconds'), ratio('cpuSeconds'), equal ?? '-'].join('\t'));
}
