/** Decodes a video with FFmpeg: the MPEG-7 signature and the picture of the thumbnail. */
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import {
  type FfmpegOptions,
  type FfmpegTools,
  ffmpeg,
  type HostedDecoding,
  input,
  withoutFilter,
} from '../../tools/ffmpeg.js';
import { type Probe, selectedVideo } from '../../tools/probe.js';
import { collector, ToolFailed } from '../../tools/process.js';
import { inWorkFolder } from '../../tools/work-folder.js';
import type { Compat } from '../jobs.js';
import { THUMBNAIL_SIDE_MAX_PIXELS } from '../thumbnail.js';
import { checkFrames, playingSecondsMax } from './cost.js';
import type { FormatFile } from './format.js';

/** Defined by ISO 24138. */
export const FRAMES_PER_SECOND = 5;
/** The thumbnail is the most representative of the first frames. */
const THUMBNAIL_FRAMES = 100;
export const THUMBNAIL_MAX_BYTES = 1024 ** 2;
/** Relative to the working directory, because filter arguments would need a path to be escaped twice. */
const SIGNATURE_FILE = 'signature.bin';
/** Each thread has frames of its own, up to 50 MB each. */
const THREADS_MAX = 4;
/** Codecs whose decoders report damage, see `Codec` in `crates/tool-host`. */
const HOSTED_CODECS: ReadonlySet<string> = new Set(['h264', 'mpeg1video', 'mpeg2video', 'vp9']);

export interface Pictures {
  /** MPEG-7, binary. */
  readonly signature: Buffer;
  /** PNG. */
  readonly thumbnail: Buffer;
}

/** How a host decodes a video: without frames that neither the signature nor the thumbnail needs. */
export function hostedDecoding({ streams }: Probe, threads = 1): HostedDecoding | undefined {
  const video = selectedVideo(streams);
  if (video === undefined || !HOSTED_CODECS.has(video.codec)) return undefined;
  const { index, codec, timeBase } = video;
  const used = Math.min(threads, THREADS_MAX);
  const words = [index, codec, ...timeBase.split('/'), FRAMES_PER_SECOND, THUMBNAIL_FRAMES, used];
  return { threads: used, sampled: words.join(' ') };
}

/**
 * Runs FFmpeg once for both the signature and the thumbnail. A hosted decoding that fails is repeated with all frames and
 * one thread: in a damaged stream, frames depend on those that were decoded before.
 */
export async function readPictures(
  tools: FfmpegTools,
  file: Pick<FormatFile, 'path' | 'workFolder'>,
  compat: Compat,
  { hosted, ...options }: FfmpegOptions = {},
): Promise<Pictures> {
  if (hosted === undefined) return decoded(tools, file, compat, options);
  try {
    return await decoded(tools, file, compat, { ...options, hosted });
  } catch (error) {
    if (!(error instanceof ToolFailed)) throw error;
    return decoded(tools, file, compat, options);
  }
}

async function decoded(
  tools: FfmpegTools,
  file: Pick<FormatFile, 'path' | 'workFolder'>,
  compat: Compat,
  options?: FfmpegOptions,
): Promise<Pictures> {
  return inWorkFolder(file, 'video', async (folder) => {
    try {
      const thumbnail = collector(THUMBNAIL_MAX_BYTES);
      const { size } = await stat(file.path);
      const framesMax = Math.round(FRAMES_PER_SECOND * playingSecondsMax(size));
      const args = pictureArguments(path.resolve(file.path), compat, framesMax);
      await ffmpeg(tools, args, thumbnail.sink, { ...options, cwd: folder });
      const signature = await readFile(path.join(folder, SIGNATURE_FILE));
      checkFrames(signature, framesMax);
      return { signature, thumbnail: thumbnail.bytes() };
    } catch (error) {
      throw await withoutFilter(tools, 'signature', error);
    }
  });
}

/**
 * FFmpeg selects the stream, as in the reference: by size, the default track first, and a cover only if there is
 * nothing else. Without these options, the output gets other streams too.
 */
export const ONE_VIDEO = ['-an', '-sn', '-dn'];

function pictureArguments(file: string, compat: Compat, framesMax: number): readonly string[] {
  const frames = `fps=fps=${FRAMES_PER_SECOND},trim=end_frame=${framesMax}`;
  const signature = `${frames},signature=format=binary:filename=${SIGNATURE_FILE}`;
  const side = THUMBNAIL_SIDE_MAX_PIXELS;
  const picture = [
    `trim=end_frame=${THUMBNAIL_FRAMES}`,
    'thumbnail',
    // iscc-sdk 0.9.5 limits the width only.
    compat === '0.9.5' ? `scale=${side}:-1` : `scale=${side}:${side}:force_original_aspect_ratio=decrease`,
  ].join(',');
  return [
    ...input(file),
    ...[...ONE_VIDEO, '-vf', signature, '-f', 'null', '-'],
    ...[...ONE_VIDEO, '-vf', picture, '-frames:v', '1', '-c:v', 'png', '-f', 'image2pipe', 'pipe:1'],
  ];
}
