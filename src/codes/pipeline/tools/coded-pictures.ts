/**
 * HEIC and AVIF through FFmpeg: the addon reads the container and makes pixels as the reference's decoders do, FFmpeg
 * decodes the pictures in between. libheif-js leaves out the filters of HEVC, and libvips repeats colour samples that
 * the reference interpolates, so codes of their pixels differ in a few bits.
 */
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { native } from '../../../native.js';
import type { RawPixels } from '../decoder-fallback.js';
import type { FormatFile } from '../formats/format.js';
import { makeWorkFolder } from '../work-folder.js';
import { configuredTools, FfmpegMissing, type FfmpegTools, ffmpeg, ffprobe, input } from './ffmpeg.js';
import { collector, ToolFailed } from './process.js';
import { runBoth } from './run-both.js';

type Frames = Parameters<typeof native.pixelsOfFrames>[1];

/** Demuxers of elementary streams, which detection by content may miss. */
const DEMUXERS: ReadonlyMap<string, string> = new Map([
  ['hevc', 'hevc'],
  ['av1', 'obu'],
]);

/** Damaged pictures are left to the other decoder, which says what is wrong. */
const STRICT = ['-xerror', '-err_detect', 'explode'];

const ENTRIES = 'stream=width,height,pix_fmt,color_range,color_space';

/** Decodes the primary image; `undefined` if it needs another decoder, or without an FFmpeg that has the format. */
export async function decodePictures(file: FormatFile): Promise<RawPixels | undefined> {
  const pictures = await native.codedPictures(file.path);
  const demuxer = pictures && DEMUXERS.get(pictures.codec);
  if (!demuxer) return undefined;
  const folder = await makeWorkFolder(file, 'image');
  const decode = (stream: Uint8Array) => decoded(stream, demuxer, folder, pictures.framesMaxBytes);
  try {
    const image = await decode(pictures.image);
    const alpha = pictures.alpha && (await decode(pictures.alpha));
    const pixels = image && (await native.pixelsOfFrames(file.path, image, alpha));
    return pixels ? { ...pixels, channels: pixels.channels as RawPixels['channels'] } : undefined;
  } catch (error) {
    if (error instanceof ToolFailed || error instanceof FfmpegMissing) return undefined;
    throw error;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The frames of a stream; `undefined` if their samples have a form that the addon does not know. */
async function decoded(
  stream: Uint8Array,
  demuxer: string,
  folder: string,
  bytesMax: number,
): Promise<Frames | undefined> {
  const tools = await configuredTools();
  const file = path.join(folder, 'stream');
  await writeFile(file, stream);
  const [samples, bytes] = await runBoth(
    (signal) => samplesOf(tools, demuxer, file, signal),
    (signal) => planesOf(tools, demuxer, file, bytesMax, signal),
  );
  return samples && { ...samples, bytes };
}

async function planesOf(
  tools: FfmpegTools,
  demuxer: string,
  file: string,
  bytesMax: number,
  signal: AbortSignal,
): Promise<Buffer> {
  const planes = collector(bytesMax);
  const args = [...STRICT, '-f', demuxer, ...input(file), '-f', 'rawvideo', 'pipe:1'];
  await ffmpeg(tools, args, planes.sink, { signal });
  return planes.bytes();
}

async function samplesOf(
  tools: FfmpegTools,
  demuxer: string,
  file: string,
  signal: AbortSignal,
): Promise<Omit<Frames, 'bytes'> | undefined> {
  const probe = await ffprobe(tools, file, ENTRIES, { signal }, ['-f', demuxer]);
  const { streams = [] } = probe as { readonly streams?: readonly StreamJson[] };
  const { width, height, pix_fmt = '', color_range, color_space = 'unknown' } = streams[0] ?? {};
  const matrix = MATRICES.get(color_space);
  const form = /^(?:gray|yuv(j?)(420|422|444)p)(?:(10|12)le)?$/.exec(pix_fmt);
  if (width === undefined || height === undefined || matrix === undefined || !form) return undefined;
  const [, isFull, chroma = '400', bits = '8'] = form;
  const fullRange = isFull === 'j' || color_range === 'pc';
  return { width, height, chroma: Number(chroma), bits: Number(bits), matrix, fullRange };
}

/** Unknown values are absent. */
interface StreamJson {
  readonly width?: number;
  readonly height?: number;
  readonly pix_fmt?: string;
  readonly color_range?: string;
  readonly color_space?: string;
}

/** FFmpeg's names of matrix coefficients with their code points (ISO 23091-2). */
const MATRICES: ReadonlyMap<string, number> = new Map([
  ['bt709', 1],
  ['unknown', 2],
  ['fcc', 4],
  ['bt470bg', 5],
  ['smpte170m', 6],
  ['smpte240m', 7],
  ['bt2020nc', 9],
  ['bt2020c', 10],
]);
