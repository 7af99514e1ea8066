/** Audio: the Audio-Code from a fingerprint, facts, tags and the cover. */
import { native } from '../../../native.js';
import type { EmbeddedMetadata } from '../../result.js';
import { Stopwatch } from '../stopwatch.js';
import { thumbnailOfImage } from '../thumbnail.js';
import { configuredTools, type FfmpegOptions, type FfmpegTools, ffmpeg, input } from '../tools/ffmpeg.js';
import { together } from '../tools/together.js';
import { UNIT_BITS } from '../units.js';
import { type AudioTags, audioFacts, audioMetadata, readAudioTags } from './audio-tags.js';
import type { Format, FormatContent, FormatFile } from './format.js';

export const format: Format = {
  content: (file, _, watch) => readAudio(configuredTools(), file, watch),
  metadata: async (file) => audioMetadata(await readAudioTags(configuredTools(), file.path)),
  embed: embedAudio,
};

/** Less than about 2.6 s of sound give no fingerprint, and so no code. */
export class AudioTooShort extends Error {
  override readonly name = 'AudioTooShort';
}

/**
 * The resampler decides bits of the fingerprint: these are the settings that Chromaprint's own tool
 * gives the same library.
 */
const RESAMPLER =
  'aresample=osr=11025:ochl=mono:osf=s16:filter_size=16:phase_shift=8:linear_interp=1:cutoff=0.8';

export async function readAudio(
  tools: FfmpegTools,
  { path }: FormatFile,
  watch = new Stopwatch(),
): Promise<FormatContent> {
  const [fingerprint, tags] = await together(
    (signal) => watch.measure('audio', () => fingerprintOf(tools, path, { signal })),
    (signal) => watch.measure('metadata', () => readAudioTags(tools, path, { signal })),
  );
  const thumbnail = await watch.measure('thumbnail', () => coverThumbnail(tags));
  return {
    unit: await watch.measure('content', () => native.audioCode(fingerprint, UNIT_BITS)),
    facts: audioFacts(tags),
    metadata: audioMetadata(tags),
    ...(thumbnail !== undefined && { thumbnail }),
  };
}

/** Chromaprint's raw items of the whole file; at least one. FFmpeg decodes what the addon does not. */
export async function fingerprintOf(
  tools: FfmpegTools,
  path: string,
  options?: FfmpegOptions,
): Promise<Int32Array> {
  const own = await native.soundFingerprint(path);
  const fingerprint = own ?? (await fingerprintByFfmpeg(tools, path, options));
  if (fingerprint.length === 0) throw new AudioTooShort('the sound is too short for a fingerprint');
  return fingerprint;
}

/** The samples go by in pieces: memory does not grow with the length of the sound. */
export async function fingerprintByFfmpeg(
  tools: FfmpegTools,
  path: string,
  options?: FfmpegOptions,
): Promise<Int32Array> {
  const fingerprinter = new native.AudioFingerprinter();
  const args = [...input(path), '-map', '0:a:0', '-af', RESAMPLER, '-f', 's16le', 'pipe:1'];
  await ffmpeg(tools, args, (samples) => fingerprinter.push(samples), options);
  return fingerprinter.finish();
}

async function coverThumbnail({ cover }: AudioTags): Promise<string | undefined> {
  const image = await cover();
  return image && (await thumbnailOfImage(image).catch(() => undefined));
}

/** Creator, rights, credit, identifier and keywords are not written: other tags hold them already. */
const WRITTEN = ['name', 'description', 'meta', 'license', 'acquire'] as const;

/** A copy of the file would have another Audio-Code. */
export class AudioDamaged extends Error {
  override readonly name = 'AudioDamaged';
}

async function embedAudio(file: FormatFile, fields: EmbeddedMetadata): Promise<void> {
  const separator = file.mediatype === 'audio/mp4' ? '_' : ':';
  const properties = WRITTEN.flatMap((field): [string, string][] => {
    const value = fields[field];
    return value ? [[`ISCC${separator}${field.toUpperCase()}`, value]] : [];
  });
  const tools = configuredTools();
  const before = await fingerprintOf(tools, file.path);
  await native.embedAudioTags(file.path, fields.name, properties);
  const after = await fingerprintOf(tools, file.path);
  // Pages and tables are written anew, and not all that decoders forgive survives that.
  if (before.length !== after.length || before.some((item, index) => item !== after[index])) {
    throw new AudioDamaged('the file is damaged: a copy of it would sound otherwise');
  }
}
