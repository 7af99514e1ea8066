/** Writes metadata into video files without re-encoding. */
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { CodesRefusal } from '../../errors.js';
import { ContainerUnfit } from '../../metadata/container.js';
import { copyWithFlvTags } from '../../metadata/flv.js';
import { copyWithTags } from '../../metadata/matroska.js';
import { copyWithOggComments } from '../../metadata/ogg.js';
import { familyOf, isXmpList, type PlaceValue, placed } from '../../metadata/places.js';
import { replacedByCopy } from '../../metadata/replaced-by-copy.js';
import { embedIntoRiff } from '../../metadata/riff.js';
import type { EmbeddedMetadata } from '../../result.js';
import { type FfmpegOptions, type FfmpegTools, ffmpeg, ffprobe, input } from '../../tools/ffmpeg.js';
import { FileError } from '../../tools/file-error.js';
import { probe, type Stream } from '../../tools/probe.js';
import { collector, ToolFailed } from '../../tools/process.js';
import type { FormatFile } from './format.js';
import { copyWithAsfTags } from './video-asf.js';
import { keptValue, movieWithTags, type TagChange, withoutAtoms } from './video-box-tags.js';
import { copyWithMovie } from './video-boxes.js';
import { ownStreamTags, videoTags } from './video-metadata.js';

/** FFmpeg muxers of the containers that can hold tags. */
const MUXERS: Readonly<Record<string, string>> = {
  'video/mp4': 'mp4',
  'video/x-m4v': 'mp4',
  'video/quicktime': 'mov',
  'video/3gpp': '3gp',
  'video/3gpp2': '3g2',
  'video/webm': 'webm',
  'video/x-matroska': 'matroska',
  'audio/webm': 'webm',
  'audio/x-matroska': 'matroska',
  'video/ogg': 'ogg',
  'video/x-flv': 'flv',
  'video/x-ms-asf': 'asf',
  'video/x-ms-wmv': 'asf',
  'audio/x-ms-wma': 'asf',
};

/**
 * Muxers replaced by our own writers, which copy all samples byte by byte. FFmpeg shifts time stamps of WebM, drops the
 * cover of an MP4 if there are free tags, adds a chapter track, drops the repeated frames of an Ogg file, drops the
 * encoder and the table of key frames of an FLV file, and makes the cover of an ASF file a video.
 */
const BOX_MUXERS: ReadonlySet<string> = new Set(['mp4', 'mov', '3gp', '3g2']);
const EBML_MUXERS: ReadonlySet<string> = new Set(['webm', 'matroska']);

/** Rewritten tables and padding may make the copy larger than the file. */
const COPY_EXTRA_MAX_BYTES = 64 * 1024 ** 2;

/** Writes the tags of the given fields. Streams are copied unchanged, other tags are kept. */
export async function embedVideoMetadata(
  tools: FfmpegTools,
  file: FormatFile,
  fields: EmbeddedMetadata,
): Promise<void> {
  if (file.mediatype === 'video/avi') return embedIntoAvi(file.path, fields);
  const muxer = MUXERS[file.mediatype];
  if (muxer === undefined) throw new CodesRefusal('EMBEDDING_UNSUPPORTED', { mediatype: file.mediatype });
  const { tags, streams } = await probe(tools, file.path);
  const change = videoTags(fields, file.mediatype, muxer === 'ogg' ? ownStreamTags({ streams }) : tags);
  await replacedByCopy(file.path, async (target) => {
    const isDone =
      (BOX_MUXERS.has(muxer) && (await copyByBoxes(file.path, target, change))) ||
      (EBML_MUXERS.has(muxer) && (await copyByElements(file.path, target, change, fields.name))) ||
      (muxer === 'ogg' && (await isCopied(copyWithOggComments(file.path, target, change)))) ||
      (muxer === 'flv' && (await isCopied(copyWithFlvTags(file.path, target, change)))) ||
      (muxer === 'asf' && (await isCopied(copyWithAsfTags(file.path, target, change))));
    if (!isDone) {
      await copyByFfmpeg(tools, { path: file.path, target, muxer }, change);
      if (BOX_MUXERS.has(muxer)) await addAtoms(target, change);
      await checkPackets(tools, file.path, target, streams);
    }
  });
}

/** Rewriting the file would change its streams. */
export class VideoDamaged extends FileError {
  override readonly name = 'VideoDamaged';
}

/**
 * FFmpeg ends a copy at the first packet of any stream that it can't read. Each kind of stream is read by itself, as it
 * is for the code, so that an end of the sound does not hide that there are more pictures.
 *
 * @throws {VideoDamaged} if the copy lacks packets
 */
async function checkPackets(
  tools: FfmpegTools,
  path: string,
  target: string,
  streams: readonly Stream[],
): Promise<void> {
  const hasVideo = streams.some(({ kind, isAttachedPicture }) => kind === 'video' && !isAttachedPicture);
  const hasAudio = streams.some(({ kind }) => kind === 'audio');
  for (const kind of [...(hasVideo ? ['V'] : []), ...(hasAudio ? ['a'] : [])]) {
    const before = await packetsOf(tools, path, kind);
    // The copy may lack all streams of the kind.
    const after = await packetsOf(tools, target, kind).catch((error: unknown) => {
      if (error instanceof ToolFailed) return undefined;
      throw error;
    });
    if (before !== after) {
      throw new VideoDamaged('FILE_DAMAGED', 'the file is damaged: rewriting it would change its streams');
    }
  }
}

/** A digest per stream of a kind: `V` is video without covers. */
async function packetsOf(tools: FfmpegTools, path: string, kind: string): Promise<string> {
  const hashes = collector(HASHES_MAX_BYTES);
  const output = ['-map', `0:${kind}`, '-codec', 'copy', '-f', 'streamhash', '-hash', 'md5', 'pipe:1'];
  await ffmpeg(tools, [...input(path), ...output], hashes.sink);
  return hashes.bytes().toString();
}

const HASHES_MAX_BYTES = 1024 ** 2;

function embedIntoAvi(path: string, fields: EmbeddedMetadata): Promise<void> {
  const all = placed(familyOf('video/avi')?.written, fields, isXmpList);
  const isEntry = ([place]: PlaceValue) => !place.includes(':');
  return embedIntoRiff(path, {
    info: all.filter(isEntry),
    xmp: all.filter((one) => !isEntry(one)),
  });
}

/** Resolves to false if the structure of the file is not supported, so that FFmpeg has to write the copy. */
async function isCopied(copying: Promise<void>): Promise<boolean> {
  try {
    await copying;
    return true;
  } catch (error) {
    if (error instanceof ContainerUnfit) return false;
    throw error;
  }
}

function copyByBoxes(path: string, target: string, change: TagChange): Promise<boolean> {
  const copying = copyWithMovie(path, target, (boxes) => movieWithTags(boxes, change));
  return isCopied(copying);
}

/** Gives FFmpeg's copy, which has no fragments, the tags that it would get if it were embedded into again. */
async function addAtoms(path: string, change: TagChange): Promise<void> {
  const target = `${path}.atoms`;
  try {
    if (await copyByBoxes(path, target, change)) await rename(target, path);
  } finally {
    await rm(target, { force: true });
  }
}

function copyByElements(
  path: string,
  target: string,
  { written, removed }: TagChange,
  title: string | undefined,
): Promise<boolean> {
  const upperCase = new Set([...removed].map((name) => name.toUpperCase()));
  return isCopied(copyWithTags(path, target, { written, removed: upperCase, title }));
}

/** Linux does not start a program with an argument of 128 KiB. */
const ARGUMENT_BYTES_MAX = 128 * 1024 - 1;
/** All arguments together have a limit too. */
const KEPT_BYTES_MAX = 256 * 1024;

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
    const found = (await ffprobe(tools, copy.path, ENTRIES)) as StreamsJson;
    const streams = await streamArguments(tools, copy, found, pictures);
    const { tags: present = {} } = found.format ?? {};
    // FFmpeg can't write atoms, and in these formats keys that are not written are replaced where present.
    const isBoxes = BOX_MUXERS.has(copy.muxer);
    const all = isBoxes ? withoutAtoms(change) : { ...change, replaced: new Map() };
    const tags = tagArguments(Object.entries(present), all, isBoxes ? OF_BOX_MUXERS : OF_MUXERS);
    // Copy all streams if the container can hold them, else FFmpeg's default selection.
    await copyStreams(tools, copy, [...streams, ...tags], options).catch((error: unknown) => {
      if (!(error instanceof ToolFailed)) throw error;
      return copyStreams(tools, copy, tags, options);
    });
  } finally {
    await rm(pictures, { recursive: true, force: true });
  }
}

/** Tags that muxers set or remove. */
const OF_MUXERS: ReadonlySet<string> = new Set(['encoder']);
const OF_BOX_MUXERS: ReadonlySet<string> = new Set([
  ...OF_MUXERS,
  ...['major_brand', 'minor_version', 'compatible_brands'],
]);

/** Arguments that write the kept tags in their order, then the new ones. */
function tagArguments(
  present: readonly PlaceValue[],
  change: TagChange,
  ofMuxer: ReadonlySet<string>,
): readonly string[] {
  const fits = (pair: string) => Buffer.byteLength(pair) <= ARGUMENT_BYTES_MAX;
  // FFmpeg moves tags when it removes others: only tags that are removed and written again stay in order.
  const moved = present.filter(
    ([tag, value]) => !tag.includes('=') && value !== '' && fits(`${tag}=${value}`),
  );
  const bytes = moved.reduce((sum, [tag, value]) => sum + Buffer.byteLength(`${tag}${value}`), 0);
  const inOrder = bytes <= KEPT_BYTES_MAX ? moved : [];
  const removed = new Set([...inOrder.map(([tag]) => tag), ...change.removed]);
  const kept = inOrder.flatMap(([tag, value]) => {
    const now = ofMuxer.has(tag.toLowerCase()) ? undefined : keptValue(tag, value, change);
    return now === undefined ? [] : [`${tag}=${now}`];
  });
  const written = [...change.written].map(([tag, value]) => `${tag}=${value}`);
  return (
    [...[...removed].map((tag) => `${tag}=`), ...kept, ...written]
      // What is left out is missing in the copy, which is read to see what it has.
      .filter(fits)
      .flatMap((pair) => ['-metadata', pair])
  );
}

function copyStreams(
  tools: FfmpegTools,
  { path, target, muxer }: Copy,
  args: readonly string[],
  options: FfmpegOptions,
): Promise<void> {
  // Without random stream numbers, the same tags give the same file.
  const general = ['-codec', 'copy', '-movflags', 'use_metadata_tags', '-fflags', '+bitexact'];
  const output = [...general, '-f', muxer, '-y', `file:${target}`];
  return ffmpeg(tools, [...input(path), ...args, ...output], () => undefined, options);
}

interface StreamJson {
  readonly index: number;
  readonly codec_type?: string;
  readonly codec_tag_string?: string;
  readonly disposition?: { readonly attached_pic?: number };
  readonly tags?: Readonly<Record<string, string>>;
}

interface StreamsJson {
  readonly format?: { readonly tags?: Readonly<Record<string, string>> };
  readonly streams?: readonly StreamJson[];
  readonly chapters?: readonly unknown[];
}

const ENTRIES =
  'format_tags:stream=index,codec_type,codec_tag_string:stream_disposition=attached_pic:stream_tags:chapter=id';

/**
 * Arguments that copy all streams except those that FFmpeg would convert: a picture attached to a Matroska file would
 * become a one-frame video stream, and the chapter track of an MP4 would be duplicated. Pictures are attached again.
 */
async function streamArguments(
  tools: FfmpegTools,
  copy: Copy,
  { streams = [], chapters = [] }: StreamsJson,
  folder: string,
): Promise<readonly string[]> {
  const pictures = copy.muxer === 'matroska' ? streams.filter(isPicture) : [];
  const chapterTracks = chapters.length > 0 ? streams.filter(isChapterTrack) : [];
  const excluded = [...pictures, ...chapterTracks].flatMap(({ index }) => ['-map', `-0:${index}`]);
  const attached = streams.filter((stream) => stream.codec_type === 'attachment').length;
  const files = await extractPictures(tools, copy.path, pictures, folder);
  const attachments = pictures.flatMap(({ tags = {} }, index) => [
    '-attach',
    files[index] ?? '',
    ...Object.entries(tags).flatMap(([tag, value]) => [
      `-metadata:s:t:${attached + index}`,
      `${tag}=${value}`,
    ]),
  ]);
  return ['-map', '0', '-ignore_unknown', ...excluded, ...attachments];
}

/** Writes each attached picture to a file of its own and returns the paths. */
async function extractPictures(
  tools: FfmpegTools,
  source: string,
  pictures: readonly StreamJson[],
  folder: string,
): Promise<readonly string[]> {
  if (pictures.length > 0) await mkdir(folder);
  const files: string[] = [];
  for (const { index: stream } of pictures) {
    const file = path.join(folder, String(files.length));
    const map = ['-map', `0:${stream}`, '-codec', 'copy', '-frames:v', '1'];
    await ffmpeg(tools, [...input(source), ...map, '-f', 'image2pipe', `file:${file}`], () => undefined);
    files.push(file);
  }
  return files;
}

function isPicture({ disposition }: StreamJson): boolean {
  return disposition?.attached_pic === 1;
}

function isChapterTrack({ codec_type, codec_tag_string }: StreamJson): boolean {
  return codec_type === 'data' && codec_tag_string === 'text';
}
