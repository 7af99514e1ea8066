/** Reads the tags of audio files. Names of all containers are mapped to those of Vorbis comments. */
import { isNativeError, native } from '../../../../native.js';
import type { ContentFacts, EmbeddedMetadata } from '../../result.js';
import { type FfmpegOptions, type FfmpegTools, ffmpeg, input } from '../../tools/ffmpeg.js';
import { probe } from '../../tools/probe.js';
import { collector, ToolFailed } from '../../tools/process.js';
import { readHead } from '../sum.js';
import { mapTags, roundHalfEven, type TagMap } from './metadata-fields.js';

export interface AudioTags {
  /** Seconds. */
  readonly duration: number | undefined;
  readonly sampleRateHz: number | undefined;
  /** By upper-case Vorbis comment name. */
  readonly tags: ReadonlyMap<string, string>;
  /** The first attached picture, encoded. */
  cover(): Promise<Uint8Array | undefined>;
}

const TAGS = [
  ['ISCC:NAME', 'name'],
  ['ISCC:DESCRIPTION', 'description'],
  ['ISCC:META', 'meta'],
  ['ISCC:LICENSE', 'license'],
  ['ISCC:ACQUIRE', 'acquire'],
  ['ISCC:CREDIT', 'credit'],
  ['ISCC:IDENTIFIER', 'identifier'],
  // MP4 names can't contain a colon.
  ['ISCC_NAME', 'name'],
  ['ISCC_DESCRIPTION', 'description'],
  ['ISCC_META', 'meta'],
  ['ISCC_LICENSE', 'license'],
  ['ISCC_ACQUIRE', 'acquire'],
  ['ISCC_CREDIT', 'credit'],
  ['ISCC_IDENTIFIER', 'identifier'],
  ['TITLE', 'name'],
  ['COMPOSER', 'creator'],
  ['ORIGINALARTIST', 'creator'],
  ['ARTIST', 'creator'],
  ['ALBUMARTIST', 'creator'],
  ['LICENSE', 'license'],
  ['COPYRIGHT', 'rights'],
  ['KEYWORDS', 'keywords'],
  ['LANGUAGE', 'language'],
  ['URL', 'acquire'],
  ['ARTISTWEBPAGE', 'acquire'],
] as const satisfies TagMap<keyof EmbeddedMetadata | 'language'>;

export function audioMetadata({ tags }: AudioTags): EmbeddedMetadata {
  const { language: _, ...metadata } = mapTags(TAGS, tags);
  return metadata;
}

export function audioFacts({ duration, tags }: AudioTags): ContentFacts {
  const { language } = mapTags(TAGS, tags);
  return {
    ...(duration !== undefined && { duration: roundHalfEven(duration) }),
    ...(language && { language }),
  };
}

/** Reads tags with the addon and, for containers it does not support, with ffprobe. */
export async function readAudioTags(
  tools: FfmpegTools,
  path: string,
  options?: FfmpegOptions,
): Promise<AudioTags> {
  // The addon takes their frames for those of MP3.
  if (isDts(await readHead(path))) return readTagsByProbe(tools, path, options);
  try {
    return await readTagsNatively(path);
  } catch (error) {
    // FFmpeg would do the work that the addon refuses.
    if (isNativeError(error) && error.code === 'TOO_COSTLY') throw error;
    return await readTagsByProbe(tools, path, options);
  }
}

/** Sync words of DTS (ETSI TS 102 114): 16 and 14 bits, in both byte orders. In hexadecimal. */
const DTS: ReadonlySet<string> = new Set(['7ffe8001', 'fe7f0180', '1fffe800', 'ff1f00e8']);

function isDts(head: Uint8Array): boolean {
  return DTS.has(Buffer.from(head.subarray(0, 4)).toString('hex'));
}

async function readTagsNatively(path: string): Promise<AudioTags> {
  const { properties, cover, durationSeconds, sampleRateHz } = await native.readAudioTags(path);
  const tags = new Map<string, string>();
  for (const [name, value] of properties as [string, string][]) if (!tags.has(name)) tags.set(name, value);
  // 0 means that the header does not have it.
  return {
    duration: durationSeconds || undefined,
    sampleRateHz,
    tags,
    cover: async () => cover ?? undefined,
  };
}

/** FFmpeg's names that differ from the Vorbis names. */
const NAMES: Readonly<Record<string, string>> = {
  ALBUM_ARTIST: 'ALBUMARTIST',
  TOPE: 'ORIGINALARTIST',
  WOAR: 'ARTISTWEBPAGE',
};

const COVER_MAX_BYTES = 32 * 1024 ** 2;

async function readTagsByProbe(
  tools: FfmpegTools,
  path: string,
  options?: FfmpegOptions,
): Promise<AudioTags> {
  const { duration, tags, streams } = await probe(tools, path, options);
  const sound = streams.find((stream) => stream.kind === 'audio');
  const hasPicture = streams.some((stream) => stream.kind === 'video');
  // Ogg stores comments in the stream and none in the container. In other containers, stream tags are technical.
  const all = [...(tags.size > 0 ? tags : (sound?.tags ?? []))].map(([key, value]) => {
    const name = key.toUpperCase();
    return [NAMES[name] ?? name, value] as const;
  });
  return {
    duration: duration ?? sound?.duration,
    sampleRateHz: sound?.sampleRateHz,
    tags: new Map(all),
    cover: async () => (hasPicture ? await readCover(tools, path, options) : undefined),
  };
}

async function readCover(
  tools: FfmpegTools,
  path: string,
  options?: FfmpegOptions,
): Promise<Uint8Array | undefined> {
  const image = collector(COVER_MAX_BYTES);
  const firstFrame = ['-map', '0:v:0', '-c', 'copy', '-frames:v', '1', '-f', 'image2pipe', 'pipe:1'];
  try {
    await ffmpeg(tools, [...input(path), ...firstFrame], image.sink, options);
  } catch (error) {
    // An unreadable cover only costs the thumbnail.
    if (error instanceof ToolFailed) return undefined;
    throw error;
  }
  return image.bytes();
}
