/** Audio: Audio-Code from the Chromaprint fingerprint, technical facts, tags and cover thumbnail. */
import { UNIT_BITS } from '../../../../iscc/file-meta.js';
import { isNativeError, native } from '../../../../native.js';
import { CodesRefusal } from '../../errors.js';
import { type CommentContainer, commentContainer, embedComments } from '../../metadata/audio-comments.js';
import { ContainerUnfit } from '../../metadata/container.js';
import { familyOf, isXmpList, placed, XMP } from '../../metadata/places.js';
import { replacedByCopy } from '../../metadata/replaced-by-copy.js';
import { embedIntoRiff, takeRiffXmp } from '../../metadata/riff.js';
import type { CommentChange } from '../../metadata/vorbis-comments.js';
import type { EmbeddedMetadata } from '../../result.js';
import { configuredTools, type FfmpegOptions, type FfmpegTools, ffmpeg, input } from '../../tools/ffmpeg.js';
import { FileError } from '../../tools/file-error.js';
import { runBoth } from '../../tools/run-both.js';
import { Stopwatch } from '../stopwatch.js';
import { thumbnailOfImage } from '../thumbnail.js';
import { copyWithAtoms } from './audio-atoms.js';
import { type AudioTags, audioFacts, audioMetadata, readAudioTags } from './audio-tags.js';
import { checkSampleRate } from './cost.js';
import type { ContentFile, Format, FormatContent, FormatFile } from './format.js';
import { mediaFeatures } from './media-features.js';
import { isFragmented } from './video-boxes.js';

export const format: Format = {
  content: async (file, watch) => readAudio(await configuredTools(), file, watch),
  metadata: async (file) => audioMetadata(await readAudioTags(await configuredTools(), file.path)),
  embed: embedAudio,
};

/** The audio is shorter than about 2.6 s, so it has no fingerprint and no code. */
export class AudioTooShort extends FileError {
  override readonly name = 'AudioTooShort';
}

const SAMPLE_RATE_HZ = 11_025;
const SAMPLE_BYTES = 2;

/** The resampler influences the fingerprint, so these are the settings of Chromaprint's own fpcalc. */
const RESAMPLER = `aresample=osr=${SAMPLE_RATE_HZ}:ochl=mono:osf=s16:filter_size=16:phase_shift=8:linear_interp=1:cutoff=0.8`;

export async function readAudio(
  tools: FfmpegTools,
  { path, ...options }: FormatFile & Partial<Pick<ContentFile, 'granular' | 'granularMedia'>>,
  watch = new Stopwatch(),
): Promise<FormatContent> {
  let duration: number | undefined;
  const onSeconds = watch.share('audio', () => duration);
  const [sound, tags] = await runBoth(
    (signal) => watch.measure('audio', () => soundOf(tools, path, { signal, onSeconds })),
    async (signal) => {
      const found = await watch.measure('metadata', () => readAudioTags(tools, path, { signal }));
      duration = found.duration;
      checkSampleRate(found.sampleRateHz);
      return found;
    },
  );
  const thumbnail = await watch.measure('thumbnail', () => coverThumbnail(tags));
  const unit = await watch.measure('content', () => native.audioCode(sound.fingerprint, UNIT_BITS));
  return {
    unit,
    ...(await mediaFeatures(options, 'audio', watch, () => native.audioFeatures(sound.fingerprint))),
    // The headers of a stream that was recorded to a pipe do not have its length.
    facts: audioFacts({ ...tags, duration: tags.duration ?? sound.seconds }),
    metadata: audioMetadata(tags),
    ...(thumbnail !== undefined && { thumbnail }),
  };
}

interface Sound {
  /** Raw Chromaprint items. */
  readonly fingerprint: Int32Array;
  /** Length of what FFmpeg has decoded. Absent if the addon has decoded it. */
  readonly seconds?: number;
}

/** Raw Chromaprint items of the whole file, at least one. */
export async function fingerprintOf(
  tools: FfmpegTools,
  path: string,
  options?: FfmpegOptions,
): Promise<Int32Array> {
  return (await soundOf(tools, path, options)).fingerprint;
}

/** FFmpeg decodes formats that the addon does not support. */
async function soundOf(tools: FfmpegTools, path: string, options?: FfmpegOptions): Promise<Sound> {
  const own = await native.soundFingerprint(path);
  const sound = own ? { fingerprint: own } : await soundByFfmpeg(tools, path, options);
  if (sound.fingerprint.length === 0)
    throw new AudioTooShort('FILE_TOO_SHORT', 'the audio is too short for a fingerprint');
  return sound;
}

export async function fingerprintByFfmpeg(tools: FfmpegTools, path: string): Promise<Int32Array> {
  return (await soundByFfmpeg(tools, path)).fingerprint;
}

/** Streams the samples, so memory does not grow with the length of the audio. */
async function soundByFfmpeg(
  tools: FfmpegTools,
  path: string,
  options?: FfmpegOptions,
): Promise<Required<Sound>> {
  const fingerprinter = new native.AudioFingerprinter();
  let bytes = 0;
  const output = ['-f', 's16le', '-flush_packets', '0', 'pipe:1'];
  const args = [...input(path), '-map', '0:a:0', '-af', RESAMPLER, ...output];
  const take = (samples: Uint8Array) => {
    bytes += samples.length;
    return fingerprinter.push(samples);
  };
  await ffmpeg(tools, args, take, options);
  return { fingerprint: await fingerprinter.finish(), seconds: bytes / SAMPLE_BYTES / SAMPLE_RATE_HZ };
}

async function coverThumbnail({ cover }: AudioTags): Promise<string | undefined> {
  const image = await cover();
  return image && (await thumbnailOfImage(image).catch(() => undefined));
}

/** Rewriting the file would change its Audio-Code. */
export class AudioDamaged extends FileError {
  override readonly name = 'AudioDamaged';
}

type Properties = Parameters<typeof native.embedAudioTags>[1];

/** The XMP packet stays the last chunk, so that the same fields give the same file. */
async function embedIntoWave(path: string, properties: Properties, fields: EmbeddedMetadata): Promise<void> {
  const packet = await takeRiffXmp(path);
  await native.embedAudioTags(path, properties);
  await embedIntoRiff(path, { xmp: placed(XMP, fields, isXmpList), packet });
}

/** Fragmented files are left to the addon, which keeps fewer atoms. */
async function embedIntoM4a(path: string, properties: Properties): Promise<void> {
  try {
    await replacedByCopy(path, (target) => copyWithAtoms(path, target, properties));
  } catch (error) {
    if (!(error instanceof ContainerUnfit)) throw error;
    await native.embedAudioTags(path, properties);
  }
}

/** ID3 tags, which some programs add to FLAC, are kept in step. */
async function embedIntoComments(
  path: string,
  container: CommentContainer,
  properties: Properties,
): Promise<void> {
  if (container === 'flac') await native.embedAudioTags(path, properties);
  const valuesOf = (isReplaced: boolean): CommentChange['written'] =>
    new Map(
      properties
        .filter(({ onlyExisting }) => onlyExisting === isReplaced)
        .map(({ name, value }) => [name, value]),
    );
  await embedComments(path, { written: valuesOf(false), replaced: valuesOf(true) });
}

async function embedAudio(file: FormatFile, fields: EmbeddedMetadata): Promise<void> {
  const family = familyOf(file.mediatype);
  const properties = [
    ...placed(family?.written, fields).map(([name, value]) => ({ name, value, onlyExisting: false })),
    ...placed(family?.replaced, fields).map(([name, value]) => ({ name, value, onlyExisting: true })),
  ];
  if (properties.length === 0) return;
  const tools = await configuredTools();
  checkSampleRate((await readAudioTags(tools, file.path)).sampleRateHz);
  const before = await fingerprintOf(tools, file.path);
  const hasFragments = file.mediatype === 'audio/mp4' && (await isFragmented(file.path));
  await writeProperties(file, properties, fields);
  const after = await fingerprintOf(tools, file.path).catch((error: unknown) => {
    if (error instanceof FileError) return undefined;
    throw error;
  });
  if (before.length === after?.length && before.every((item, index) => item === after[index])) return;
  // The tag writer does not move the offsets of fragments.
  if (hasFragments) throw new CodesRefusal('EMBEDDING_UNSUPPORTED', { mediatype: file.mediatype });
  // Damage that decoders tolerate may not survive rewriting the container.
  throw new AudioDamaged('FILE_DAMAGED', 'the file is damaged: rewriting it would change the audio');
}

/** The file has audio that can be decoded, so what the tag writer can't parse is a variant that it does not support. */
async function writeProperties(
  { path, mediatype }: FormatFile,
  properties: Properties,
  fields: EmbeddedMetadata,
): Promise<void> {
  try {
    const comments = await commentContainer(path);
    if (comments !== undefined) await embedIntoComments(path, comments, properties);
    else if (mediatype === 'audio/wav') await embedIntoWave(path, properties, fields);
    else if (mediatype === 'audio/mp4') await embedIntoM4a(path, properties);
    else await native.embedAudioTags(path, properties);
  } catch (error) {
    if (!isNativeError(error, 'DAMAGED') && !(error instanceof ContainerUnfit)) throw error;
    throw new CodesRefusal('EMBEDDING_UNSUPPORTED', { mediatype }, { cause: error });
  }
}
