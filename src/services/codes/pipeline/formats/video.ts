/** Video: Video-Code from MPEG-7 frame signatures, technical facts, tags and a thumbnail. */
import { stat } from 'node:fs/promises';
import { UNIT_BITS } from '../../../../iscc/file-meta.js';
import { native } from '../../../../native.js';
import { present } from '../../../../platform/present.js';
import { riffXmp } from '../../metadata/riff.js';
import type { ContentFacts, EmbeddedMetadata } from '../../result.js';
import { configuredTools, type FfmpegOptions, type FfmpegTools, ffmpeg, input } from '../../tools/ffmpeg.js';
import { FileError } from '../../tools/file-error.js';
import { type Probe, probe } from '../../tools/probe.js';
import { collector, ToolFailed } from '../../tools/process.js';
import { runBoth } from '../../tools/run-both.js';
import type { Compat } from '../jobs.js';
import { Stopwatch } from '../stopwatch.js';
import { thumbnailOfImage } from '../thumbnail.js';
import { fingerprintOf } from './audio.js';
import { checkDuration, checkSampleRate } from './cost.js';
import type { ContentFile, Format, FormatContent, FormatFile } from './format.js';
import { mediaFeatures } from './media-features.js';
import { type AddonMetadata, splitLanguage } from './metadata-fields.js';
import { embedVideoMetadata } from './video-embed.js';
import { streamMetadata, videoFacts, videoMetadata } from './video-metadata.js';
import {
  FRAMES_PER_SECOND,
  hostedDecoding,
  ONE_VIDEO,
  type Pictures,
  readPictures,
  THUMBNAIL_MAX_BYTES,
} from './video-pictures.js';

export const format: Format = {
  content: async (file, watch) => readVideo(await configuredTools(), file, file.compat, watch),
  metadata: async (file) => metadataOf(file, await probe(await configuredTools(), file.path)),
  embed: async (file, fields) => embedVideoMetadata(await configuredTools(), file, fields),
};

const WEBP_SIDE_MAX_PIXELS = 16_383;
/** Only larger files wait for what `ffprobe` finds, which makes decoding them faster. */
const PROBED_FIRST_BYTES_MIN = 1024 ** 2;

export async function readVideo(
  tools: FfmpegTools,
  file: FormatFile & Pick<ContentFile, 'threads'> & Partial<Pick<ContentFile, 'granular' | 'granularMedia'>>,
  compat: Compat,
  watch = new Stopwatch(),
): Promise<FormatContent> {
  let duration: number | undefined;
  const onSeconds = watch.share('video', () => duration);
  const streams = async (options?: FfmpegOptions) => {
    const found = await watch.measure('metadata', () => probe(tools, file.path, options));
    duration = videoFacts(found).duration;
    await checkDuration(tools, file.path, duration, options);
    return found;
  };
  const read = async () => {
    const first = (await stat(file.path)).size < PROBED_FIRST_BYTES_MIN ? undefined : await streams();
    const hosted = first && hostedDecoding(first, file.threads);
    return runBoth(
      async (signal) => first ?? (await streams({ signal })),
      (signal) =>
        watch.measure('video', () => readPictures(tools, file, compat, { signal, onSeconds, hosted })),
    );
  };
  const [info, pictures] = await read().catch(
    async (error: unknown) => [await probeAudioOnly(tools, file, error), undefined] as const,
  );
  const thumbnail = pictures && (await watch.measure('thumbnail', () => thumbnailOf(pictures)));
  const rest = { metadata: await metadataOf(file, info), ...(thumbnail !== undefined && { thumbnail }) };
  if (pictures === undefined || isAudioOnly(info)) {
    for (const { sampleRateHz } of info.streams) checkSampleRate(sampleRateHz);
    const onSound = watch.share('audio', () => duration);
    const fingerprint = await watch.measure('audio', () =>
      fingerprintOf(tools, file.path, { onSeconds: onSound }),
    );
    const unit = await watch.measure('content', () => native.audioCode(fingerprint, UNIT_BITS));
    const features = await mediaFeatures(file, 'audio', watch, () => native.audioFeatures(fingerprint));
    return { mode: 'audio', unit, facts: audioOnlyFacts(info), ...features, ...rest };
  }
  const unit = await watch.measure('content', () => native.videoCode(pictures.signature, UNIT_BITS));
  const features = await mediaFeatures(file, 'video', watch, () => native.videoFeatures(pictures.signature));
  return { unit, facts: videoFacts(info), ...features, ...rest, ...contentIdentifierOf(info) };
}

/** Tags of the container, and metadata that FFmpeg does not show as such. */
async function metadataOf(file: FormatFile, info: Probe): Promise<EmbeddedMetadata> {
  const own = videoMetadata(info);
  if (file.mediatype === 'video/ogg') return { ...streamMetadata(info), ...own };
  if (file.mediatype !== 'video/avi') return own;
  const packet = await riffXmp(file.path);
  if (packet === undefined) return own;
  const { metadata } = splitLanguage(native.xmpMetadata(packet) as AddonMetadata);
  // The reference does not read the packet: name and description count only if ISCC software wrote them.
  if (packet.includes(ISCC_NAMESPACE)) return { ...own, ...present(metadata) };
  const { name: _name, description: _description, ...rest } = metadata;
  return { ...present(rest), ...own };
}

/** A key of Apple, in lower case like all tags. */
const CONTENT_IDENTIFIER = 'com.apple.quicktime.content.identifier';

const IDENTIFIER_CHARACTERS_MAX = 128;

function contentIdentifierOf({ tags }: Probe): Pick<FormatContent, 'contentIdentifier'> {
  const contentIdentifier = tags.get(CONTENT_IDENTIFIER);
  return contentIdentifier && contentIdentifier.length <= IDENTIFIER_CHARACTERS_MAX
    ? { contentIdentifier }
    : {};
}

const ISCC_NAMESPACE = 'http://purl.org/iscc/schema/';

function thumbnailOf({ thumbnail }: Pictures): Promise<string | undefined> {
  // FFmpeg has already scaled it.
  return thumbnailOfImage(thumbnail, WEBP_SIDE_MAX_PIXELS).catch(() => undefined);
}

/** Whether a file in a video container is audio, such as a voice recording; it may have a cover. */
function isAudioOnly({ streams }: Probe): boolean {
  const hasVideo = streams.some(({ kind, isAttachedPicture }) => kind === 'video' && !isAttachedPicture);
  return !hasVideo && streams.some(({ kind }) => kind === 'audio');
}

/** After a failure to read video: the file's streams if it has no video, else the failure. */
async function probeAudioOnly(tools: FfmpegTools, file: FormatFile, error: unknown): Promise<Probe> {
  const info = error instanceof ToolFailed ? await probe(tools, file.path) : undefined;
  if (info === undefined) throw error;
  if (isAudioOnly(info)) return info;
  throw isCrash(error) ? await crashReason(tools, file, info, error) : error;
}

function isCrash(error: unknown): boolean {
  return error instanceof ToolFailed && error.code === 'FILE_CRASHES_DECODER';
}

/** The filter `signature` divides frames into 32 x 32 blocks, and crashes if there are fewer pixels, or no frame. */
const SIGNATURE_SIDE_MIN_PIXELS = 32;

/** The error of a file that the filter can't take; the crash itself if there is another reason. */
async function crashReason(
  tools: FfmpegTools,
  { path }: FormatFile,
  { streams }: Probe,
  crash: unknown,
): Promise<unknown> {
  const videos = streams.filter(({ kind, isAttachedPicture }) => kind === 'video' && !isAttachedPicture);
  const sides = videos.flatMap(({ width = 0, height = 0 }) => [width, height]);
  const hasFrame = async (filters: string) => {
    const frame = collector(THUMBNAIL_MAX_BYTES);
    const output = ['-vf', `${filters}scale=8:8`, '-frames:v', '1', '-f', 'rawvideo', 'pipe:1'];
    await ffmpeg(tools, [...input(path), ...ONE_VIDEO, ...output], frame.sink);
    return frame.bytes().length > 0;
  };
  const options = { cause: crash };
  if (!(await hasFrame(''))) return new FileError('FILE_DAMAGED', 'no frame can be decoded', options);
  const isSmall = Math.min(...sides) < SIGNATURE_SIDE_MIN_PIXELS;
  // A film that is shown for less than half of the signature's interval has no frame at its rate.
  if (!isSmall && (await hasFrame(`fps=fps=${FRAMES_PER_SECOND},`))) return crash;
  const message = 'the video has too few pixels or frames for a signature';
  return new FileError('VIDEO_TOO_SMALL', message, options);
}

function audioOnlyFacts(info: Probe): ContentFacts {
  const { duration, language } = videoFacts(info);
  return { ...(duration !== undefined && { duration }), ...(language !== undefined && { language }) };
}
