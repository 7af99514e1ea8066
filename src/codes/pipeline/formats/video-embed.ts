/** Writes descriptions into video files; all else in them stays as it is. */
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { EmbeddedMetadata } from '../../result.js';
import { type FfmpegOptions, type FfmpegTools, ffmpeg, ffprobe, input } from '../tools/ffmpeg.js';
import { ToolFailed } from '../tools/process.js';
import type { FormatFile } from './format.js';
import { movieWithTags, type TagChange } from './video-box-tags.js';
import { BoxesUnfit, copyWithMovie } from './video-boxes.js';
import { videoTags } from './video-metadata.js';

/** FFmpeg's writer for each container that can hold tags. */
const MUXERS: Readonly<Record<string, string>> = {
  'video/mp4': 'mp4',
  'video/x-m4v': 'mp4',
  'video/quicktime': 'mov',
  'video/3gpp': '3gp',
  'video/3gpp2': '3g2',
  'video/webm': 'webm',
  'video/x-matroska': 'matroska',
  'video/avi': 'avi',
  'video/ogg': 'ogg',
  'video/x-flv': 'flv',
  'video/x-ms-asf': 'asf',
  'video/x-ms-wmv': 'asf',
};

/** Those whose tags are written here: FFmpeg leaves out a cover beside free tags, and adds a track for chapters. */
const OF_BOXES: ReadonlySet<string> = new Set(['mp4', 'mov', '3gp', '3g2']);

/** A copy has its tables and padding anew, so that it may be larger than the file. */
const COPY_EXTRA_MAX_BYTES = 64 * 1024 ** 2;

/** This container can't hold metadata. */
export class NoTagsInFormat extends Error {
  override readonly name = 'NoTagsInFormat';
}

/** Replaces the file by one with these tags for a description, around the very same streams. */
export async function embedVideoMetadata(
  tools: FfmpegTools,
  file: FormatFile,
  fields: EmbeddedMetadata,
): Promise<void> {
  const muxer = MUXERS[file.mediatype];
  if (muxer === undefined) throw new NoTagsInFormat(`${file.mediatype} can't hold metadata`);
  const target = `${file.path}.embedding`;
  const change = videoTags(fields);
  try {
    const isDone = OF_BOXES.has(muxer) && (await copiedByBoxes(file.path, target, change));
    if (!isDone) await copyByFfmpeg(tools, { path: file.path, target, muxer }, change);
    await rename(target, file.path);
  } finally {
    await rm(target, { force: true });
  }
}

/** Resolves to false for a file that only FFmpeg can write anew. */
async function copiedByBoxes(path: string, target: string, change: TagChange): Promise<boolean> {
  try {
    await copyWithMovie(path, target, (boxes) => movieWithTags(boxes, change));
    return true;
  } catch (error) {
    if (error instanceof BoxesUnfit) return false;
    throw error;
  }
}

interface Copy {
  readonly path: string;
  readonly target: string;
  readonly muxer: string;
}

async function copyByFfmpeg(tools: FfmpegTools, copy: Copy, change: TagChange): Promise<void> {
  const { size } = await stat(copy.path);
  const options = { limits: { fileMaxBytes: size + COPY_EXTRA_MAX_BYTES } };
  const pictures = `${copy.target}.pictures`;
  try {
    const streams = await streamArguments(tools, copy, pictures);
    const tags = [
      ...[...change.removed].map((tag) => `${tag}=`),
      ...[...change.written].map(([tag, value]) => `${tag}=${value}`),
    ].flatMap((pair) => ['-metadata', pair]);
    // All streams if the container takes them, else one of each kind.
    await copyStreams(tools, copy, [...streams, ...tags], options).catch((error: unknown) => {
      if (!(error instanceof ToolFailed)) throw error;
      return copyStreams(tools, copy, tags, options);
    });
  } finally {
    await rm(pictures, { recursive: true, force: true });
  }
}

function copyStreams(
  tools: FfmpegTools,
  { path, target, muxer }: Copy,
  args: readonly string[],
  options: FfmpegOptions,
): Promise<void> {
  const output = ['-codec', 'copy', '-movflags', 'use_metadata_tags', '-f', muxer, '-y', `file:${target}`];
  return ffmpeg(tools, [...input(path), ...args, ...output], () => undefined, options);
}

interface StreamsJson {
  readonly streams?: readonly {
    readonly index: number;
    readonly codec_type?: string;
    readonly codec_tag_string?: string;
    readonly disposition?: { readonly attached_pic?: number };
    readonly tags?: Readonly<Record<string, string>>;
  }[];
  readonly chapters?: readonly unknown[];
}

const STREAM_ENTRIES =
  'stream=index,codec_type,codec_tag_string:stream_disposition=attached_pic:stream_tags:chapter=id';

/**
 * Every stream, except those that FFmpeg would make something else of: a picture that is attached to a Matroska file
 * would become a film of one frame, and the track that names an MP4's chapters would be there twice.
 */
async function streamArguments(tools: FfmpegTools, copy: Copy, folder: string): Promise<readonly string[]> {
  const found = (await ffprobe(tools, copy.path, STREAM_ENTRIES)) as StreamsJson;
  const { streams = [], chapters = [] } = found;
  const pictures = copy.muxer === 'matroska' ? streams.filter(isPicture) : [];
  const names = streams.filter((one) => one.codec_type === 'data' && one.codec_tag_string === 'text');
  const left = [...pictures, ...(chapters.length > 0 ? names : [])];
  const attached = streams.filter((one) => one.codec_type === 'attachment').length;
  if (pictures.length > 0) await mkdir(folder);
  const attachments: string[] = [];
  for (const [index, { index: stream, tags = {} }] of pictures.entries()) {
    const picture = path.join(folder, String(index));
    const take = [
      '-map',
      `0:${stream}`,
      '-codec',
      'copy',
      '-frames:v',
      '1',
      '-f',
      'image2pipe',
      `file:${picture}`,
    ];
    await ffmpeg(tools, [...input(copy.path), ...take], () => undefined);
    attachments.push('-attach', picture);
    for (const [tag, value] of Object.entries(tags)) {
      attachments.push(`-metadata:s:t:${attached + index}`, `${tag}=${value}`);
    }
  }
  const excluded = left.flatMap(({ index }) => ['-map', `-0:${index}`]);
  return ['-map', '0', '-ignore_unknown', ...excluded, ...attachments];
}

function isPicture({ disposition }: { readonly disposition?: { readonly attached_pic?: number } }): boolean {
  return disposition?.attached_pic === 1;
}
