/** Descriptions inside audio files, under the names of Vorbis comments whatever the container calls them. */
import { native } from '../../../native.js';
import type { ContentFacts, EmbeddedMetadata } from '../../result.js';
import { type FfmpegOptions, type FfmpegTools, ffmpeg, input } from '../tools/ffmpeg.js';
import { probe } from '../tools/probe.js';
import { collector, ToolFailed } from '../tools/process.js';
import { roundHalfEven } from './rounding.js';
import { mapTags, type TagMap } from './tag-map.js';

/** What a reader of tags finds, whichever it is. */
export interface AudioTags {
  /** Seconds. */
  readonly duration: number | undefined;
  /** By upper-case name as in Vorbis comments, which other formats' names are turned into. */
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
  // In MP4, where a name takes no colon.
  ['ISCC_NAME', 'name'],
  ['ISCC_DESCRIPTION', 'description'],
  ['ISCC_META', 'meta'],
  ['ISCC_LICENSE', 'license'],
  ['ISCC_ACQUIRE', 'acquire'],
  ['TITLE', 'name'],
  ['COMPOSER', 'creator'],
  ['ORIGINALARTIST', 'creator'],
  ['ARTIST', 'creator'],
  ['ALBUMARTIST', 'creator'],
  ['LICENSE', 'license'],
  ['COPYRIGHT', 'rights'],
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

/** Tags of the containers that the addon knows, and what FFmpeg makes of the others. */
export async function readAudioTags(
  tools: FfmpegTools,
  path: string,
  options?: FfmpegOptions,
): Promise<AudioTags> {
  try {
    return await readTagsNatively(path);
  } catch {
    return await readTagsByProbe(tools, path, options);
  }
}

async function readTagsNatively(path: string): Promise<AudioTags> {
  const { properties, cover, durationSeconds } = await native.readAudioTags(path);
  const tags = new Map<string, string>();
  for (const [name, value] of properties as [string, string][]) if (!tags.has(name)) tags.set(name, value);
  return { duration: durationSeconds, tags, cover: async () => cover ?? undefined };
}

/** FFmpeg's name where it is not the Vorbis one. */
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
  // Ogg has its comments at the stream and none at the file; elsewhere a stream's tags are technical.
  const all = [...(tags.size > 0 ? tags : (sound?.tags ?? []))].map(([key, value]) => {
    const name = key.toUpperCase();
    return [NAMES[name] ?? name, value] as const;
  });
  return {
    duration: duration ?? sound?.duration,
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
  const args = [
    ...input(path),
    '-map',
    '0:v:0',
    '-c',
    'copy',
    '-frames:v',
    '1',
    '-f',
    'image2pipe',
    'pipe:1',
  ];
  try {
    await ffmpeg(tools, args, image.sink, options);
  } catch (error) {
    // A cover that can't be read costs the thumbnail only.
    if (error instanceof ToolFailed) return undefined;
    throw error;
  }
  return image.bytes();
}
