/** Descriptions inside video files: the container's global tags. */
import { rename, rm, stat } from 'node:fs/promises';
import type { ContentFacts, EmbeddedMetadata } from '../../result.js';
import { type FfmpegOptions, type FfmpegTools, ffmpeg, input } from '../tools/ffmpeg.js';
import type { Probe } from '../tools/probe.js';
import { ToolFailed } from '../tools/process.js';
import type { FormatFile } from './format.js';
import { roundHalfEven, roundToThousandths } from './rounding.js';
import { mapTags, type TagMap } from './tag-map.js';

const TAGS = [
  ['iscc_name', 'name'],
  ['iscc_description', 'description'],
  ['iscc_meta', 'meta'],
  ['title', 'name'],
  ['track', 'name'],
  ['show', 'name'],
  ['album', 'name'],
  ['description', 'description'],
  ['synopsis', 'description'],
  ['comment', 'description'],
  ['author', 'creator'],
  ['composer', 'creator'],
  ['artist', 'creator'],
  ['album_artist', 'creator'],
  ['copyright', 'rights'],
  ['license', 'license'],
  ['acquire', 'acquire'],
] as const satisfies TagMap<keyof EmbeddedMetadata>;

/** A line break inside a value is stored as these two characters. */
const STORED_LINE_BREAK = '\\n';

export function videoMetadata({ tags }: Probe): EmbeddedMetadata {
  const fields = Object.entries(mapTags(TAGS, tags));
  return Object.fromEntries(
    fields.map(([field, value]) => [field, value.replaceAll(STORED_LINE_BREAK, '\n')]),
  );
}

/** Size and frame rate are those of the first picture stream. */
export function videoFacts({ duration, tags, streams }: Probe): ContentFacts {
  const pictures = streams.filter((stream) => stream.kind === 'video');
  const durations = [duration, ...pictures.map((stream) => stream.duration)].filter(
    (one) => one !== undefined,
  );
  const { width, height, frameRate } = pictures[0] ?? {};
  const languages = [tags, ...streams.map((stream) => stream.tags)].map((all) => all.get('language'));
  const language = languageTag(languages.find((one) => one !== undefined));
  return {
    ...(durations.length > 0 && { duration: roundHalfEven(Math.max(...durations)) }),
    ...(frameRate && { fps: roundToThousandths(frameRate) }),
    ...(width && { width }),
    ...(height && { height }),
    ...(language && { language }),
  };
}

/** The BCP 47 form of an ISO 639-2 code (`ger` is `de`) or tag; nothing for what is neither. */
function languageTag(text = ''): string | undefined {
  const tag = text.replaceAll('_', '-');
  if (!/^[a-z]{2,3}(-|$)/i.test(tag)) return undefined;
  try {
    return Intl.getCanonicalLocales(tag)[0];
  } catch {
    return undefined;
  }
}

/** What is written, and under which tag. Credit, identifier and keywords have none. */
const WRITTEN = [
  ['name', 'iscc_name'],
  ['description', 'iscc_description'],
  ['meta', 'iscc_meta'],
  ['creator', 'author'],
  ['rights', 'copyright'],
  ['license', 'license'],
  ['acquire', 'acquire'],
] as const satisfies readonly (readonly [keyof EmbeddedMetadata, string])[];

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

/** Streams to keep: all that the container takes, else one of each kind. */
const SELECTIONS = [['-map', '0', '-ignore_unknown'], []];

/** A copy has its tables and padding anew, so that it may be larger than the file. */
const COPY_EXTRA_MAX_BYTES = 64 * 1024 ** 2;

/** This container can't hold metadata. */
export class NoTagsInFormat extends Error {
  override readonly name = 'NoTagsInFormat';
}

/**
 * Replaces the file by one with these tags, and no other global ones, around the very same streams.
 */
export async function embedVideoMetadata(
  tools: FfmpegTools,
  file: FormatFile,
  fields: EmbeddedMetadata,
): Promise<void> {
  const muxer = MUXERS[file.mediatype];
  if (muxer === undefined) throw new NoTagsInFormat(`${file.mediatype} can't hold metadata`);
  const target = `${file.path}.embedding`;
  const { size } = await stat(file.path);
  const limits = { fileMaxBytes: size + COPY_EXTRA_MAX_BYTES };
  try {
    await copyWithTags(tools, { path: file.path, target, muxer }, tagArguments(fields), { limits });
    await rename(target, file.path);
  } finally {
    await rm(target, { force: true });
  }
}

interface Copy {
  readonly path: string;
  readonly target: string;
  readonly muxer: string;
}

async function copyWithTags(
  tools: FfmpegTools,
  { path, target, muxer }: Copy,
  tags: readonly string[],
  options: FfmpegOptions,
): Promise<void> {
  const output = ['-codec', 'copy', '-movflags', 'use_metadata_tags', '-f', muxer, '-y', `file:${target}`];
  let failure: unknown;
  for (const streams of SELECTIONS) {
    try {
      return await ffmpeg(tools, [...input(path), ...streams, ...tags, ...output], () => undefined, options);
    } catch (error) {
      if (!(error instanceof ToolFailed)) throw error;
      failure = error;
    }
  }
  throw failure;
}

function tagArguments(fields: EmbeddedMetadata): readonly string[] {
  const written = WRITTEN.flatMap(([field, tag]) => {
    const value = fields[field]?.replaceAll('\n', STORED_LINE_BREAK).replaceAll('\0', '');
    return value ? ['-metadata', `${tag}=${value}`] : [];
  });
  return ['-map_metadata:g', '-1', ...written];
}
