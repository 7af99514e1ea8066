/**
 * HEIC and AVIF through FFmpeg: the addon reads the container and makes pixels as the reference's decoders do, FFmpeg
 * decodes the pictures in between. libheif-js leaves out the filters of HEVC, and libvips repeats colour samples that
 * the reference interpolates, so codes of their pixels differ in a few bits.
 */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { native } from '../../../native.js';
import type { RawPixels } from './decoder-fallback.js';
import { configuredTools, FfmpegMissing, type FfmpegTools, ffmpeg, ffprobe, input } from './ffmpeg.js';
import { collector, ToolFailed } from './process.js';
import { runBoth } from './run-both.js';
import { inWorkFolder, type WorkPlace } from './work-folder.js';

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
export async function decodePictures(file: WorkPlace): Promise<RawPixels | undefined> {
  const pictures = await native.codedPictures(file.path);
  const demuxer = pictures && DEMUXERS.get(pictures.codec);
  if (!demuxer) return undefined;
  const { image, alpha, framesMaxBytes } = pictures;
  try {
    return await inWorkFolder(file, 'image', async (folder) => {
      const stream: Stream = { path: path.join(folder, 'stream'), demuxer, framesMaxBytes };
      const frames = await decoded(image, stream);
      const opacity = alpha && (await decoded(alpha, stream));
      const pixels = frames && (await native.pixelsOfFrames(file.path, frames, opacity));
      return pixels ? { ...pixels, channels: pixels.channels as RawPixels['channels'] } : undefined;
    });
  } catch (error) {
    if (error instanceof ToolFailed || error instanceof FfmpegMissing) return undefined;
    throw error;
  }
}

/** An elementary stream in a file. */
interface Stream {
  readonly path: string;
  readonly demuxer: string;
  readonly framesMaxBytes: number;
}

/** Writes a stream and decodes it; `undefined` if its samples have a form that the addon does not know. */
async function decoded(content: Uint8Array, stream: Stream): Promise<Frames | undefined> {
  const tools = await configuredTools();
  await writeFile(stream.path, content);
  const [samples, bytes] = await runBoth(
    (signal) => samplesOf(tools, stream, signal),
    (signal) => planesOf(tools, stream, signal),
  );
  return samples && { ...samples, bytes };
}

async function planesOf(tools: FfmpegTools, stream: Stream, signal: AbortSignal): Promise<Buffer> {
  const planes = collector(stream.framesMaxBytes);
  const args = [...STRICT, '-f', stream.demuxer, ...input(stream.path), '-f', 'rawvideo', 'pipe:1'];
  await ffmpeg(tools, args, planes.sink, { signal });
  return planes.bytes();
}

async function samplesOf(
  tools: FfmpegTools,
  stream: Stream,
  signal: AbortSignal,
): Promise<Omit<Frames, 'bytes'> | undefined> {
  const probe = await ffprobe(tools, stream.path, ENTRIES, { signal }, ['-f', stream.demuxer]);
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
