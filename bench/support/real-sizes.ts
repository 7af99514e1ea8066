/**
 * Files of the sizes that archives and broadcasters have, one at a time and one per core: wall time, processor time and peak
 * memory next to those of iscc-sdk on the same file. The files are made once and kept.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { docx, epub, pdf, text, xlsx } from './long-documents.js';
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

/** Arguments of FFmpeg, or what makes the content. */
type Maker = readonly string[] | (() => string | Uint8Array);

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

/** Names of the files, and how each is made. Later files are made from earlier ones. */
const FILES: readonly (readonly [string, Maker])[] = [
  ['film 1 min 720p H.264.mp4', film('1280x720', '25', 60, ...H264)],
  ['film 1 min 576i MPEG-2.mpg', film('720x576', '25', 60, ...MPEG2)],
  ['sound 10 min.wav', tones(600)],
  ['sound 10 min.mp3', from('sound 10 min.wav', '-c:a', 'libmp3lame', '-b:a', '192k')],
  ['sound 10 min.m4a', from('sound 10 min.wav', '-c:a', 'aac', '-b:a', '128k')],
  ['sound 10 min.flac', from('sound 10 min.wav')],
  ['sound 10 min.opus', from('sound 10 min.wav', '-c:a', 'libopus', '-b:a', '128k')],
  ['sound 10 min 96 kHz.wav', from('sound 10 min.wav', '-ar', '96000')],
  ['photo 24 MP.png', photo('6000x4000')],
  ['photo 24 MP.jpg', from('photo 24 MP.png', '-q:v', '3')],
  ['photo 24 MP.webp', from('photo 24 MP.png', '-quality', '80')],
  ['photo 24 MP LZW.tif', from('photo 24 MP.png', '-compression_algo', 'lzw')],
  ['photo 24 MP deflate.tif', from('photo 24 MP.png', '-compression_algo', 'deflate')],
  ['photo 24 MP.tif', from('photo 24 MP.png', '-compression_algo', 'raw')],
  ['photo 24 MP.jp2', from('photo 24 MP.png', '-c:v', 'libopenjpeg', '-compression_level', '10')],
  [
    'photo 6 MP.avif',
    from('photo 24 MP.png', '-vf', 'scale=iw/2:-1,format=yuv420p', '-c:v', 'libaom-av1', '-cpu-used', '8'),
  ],
  ['400 pages.pdf', () => pdf(quickOr(3, 400))],
  ['book.docx', () => docx(quickOr(5, 3000))],
  ['book.xlsx', () => xlsx(quickOr(50, 50_000))],
  ['book.epub', () => epub(quickOr(2, 60))],
  ['text 12 MB.txt', () => text(quickOr(100, 1_900_000))],
];

const LONG_FILES: readonly (readonly [string, Maker])[] = [
  ['film 1 min 1080p 59.94 H.264.mp4', film('1920x1080', '60000/1001', 60, ...H264)],
  ['film 10 min 720p H.264.mp4', film('1280x720', '25', 600, ...H264)],
  ['film 1 min 720p HEVC.mp4', film('1280x720', '25', 60, '-c:v', 'libx265', '-preset', 'ultrafast')],
  ['film 1 min 720p VP9.webm', film('1280x720', '25', 60, '-c:v', 'libvpx-vp9', '-cpu-used', '8')],
  ['sound 60 min.flac', tones(3600)],
  ['photo 100 MP.jpg', photo('12000x8400')],
  ['3,000 pages.pdf', () => pdf(3000)],
  ['text 100 MB.txt', () => text(15_000_000)],
];

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

/**
 * Processor seconds in which FFmpeg decodes a film or a sound and does nothing else: a limit for both sides, as far as they let
 * FFmpeg decode. `-` for other files.
 */
function decoderSeconds(file: string): string {
  if (!/^(film|sound)/.test(path.basename(file))) return '-';
  const script = 'ffmpeg -v error -i "$0" -map 0:v:0? -map 0:a:0? -f null - && times';
  const printed = execFileSync('sh', ['-c', script, file], { encoding: 'utf8' });
  // The second line has the processor time of ended children: user and system, each as 0m1.234s.
  const [, children = ''] = printed.trim().split('\n');
  const seconds = [...children.matchAll(/(\d+)m([\d.]+)s/g)].map(([, m, s]) => Number(m) * 60 + Number(s));
  return seconds.reduce((sum, one) => sum + one, 0).toFixed(2);
}

/** Prints a row per file. `together` is the number of files at once in the last columns. */
export async function compareSizes({ theirs, ours }: Sides, together: number): Promise<void> {
  const wide = [`s per file, ${together} at once`];
  const columns = ['MB', 'iscc-sdk s', 'CPU s', 'MiB', 'isccd s', 'CPU s', 'MiB', ...wide];
  console.log(['real sizes', ...columns, 'wall', 'CPU', 'codes equal', 'decoder CPU s'].join('\t'));
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
  const ratios = [ratio('seconds'), ratio('cpuSeconds'), equal ?? '-'];
  console.log([...row, ...ratios, decoderSeconds(file)].join('\t'));
}
