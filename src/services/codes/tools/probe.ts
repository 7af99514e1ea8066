/** Reads duration, streams and tags of a file with `ffprobe`. */
import { type FfmpegOptions, type FfmpegTools, ffprobe } from './ffmpeg.js';
import { ToolFailed } from './process.js';

/** Values by lower-case key. */
export type Tags = ReadonlyMap<string, string>;

export interface Stream {
  readonly index: number;
  readonly kind: string;
  /** FFmpeg's name. */
  readonly codec: string;
  /** Seconds per unit of time stamps, such as `1/12800`. */
  readonly timeBase: string;
  /** Seconds. */
  readonly duration: number | undefined;
  readonly width: number | undefined;
  readonly height: number | undefined;
  /** Frames per second. */
  readonly frameRate: number | undefined;
  readonly sampleRateHz: number | undefined;
  /** Whether the stream is a cover image and not a video. */
  readonly isAttachedPicture: boolean;
  /** Whether players show the stream unless the user selects another one. */
  readonly isDefault: boolean;
  readonly tags: Tags;
}

export interface Probe {
  readonly duration: number | undefined;
  readonly tags: Tags;
  readonly streams: readonly Stream[];
}

const ENTRIES = [
  'format=duration:format_tags',
  'stream=index,codec_type,codec_name,time_base,duration,width,height,r_frame_rate,sample_rate:stream_disposition=attached_pic,default:stream_tags',
].join(':');

export async function probe(tools: FfmpegTools, path: string, options?: FfmpegOptions): Promise<Probe> {
  const { format = {}, streams = [] } = (await ffprobe(tools, path, ENTRIES, options)) as ProbeJson;
  return {
    duration: positive(format.duration),
    tags: lowerCased(format.tags),
    streams: streams.map((stream) => ({
      index: stream.index ?? -1,
      kind: stream.codec_type ?? '',
      codec: stream.codec_name ?? '',
      timeBase: stream.time_base ?? '',
      duration: positive(stream.duration),
      width: positive(stream.width),
      height: positive(stream.height),
      frameRate: ratio(stream.r_frame_rate),
      sampleRateHz: positive(stream.sample_rate),
      isAttachedPicture: stream.disposition?.attached_pic === 1,
      isDefault: stream.disposition?.default === 1,
      tags: lowerCased(stream.tags),
    })),
  };
}

/** Unknown values are absent. Fractional numbers are strings. */
interface ProbeJson {
  readonly format?: { readonly duration?: string; readonly tags?: Record<string, string> };
  readonly streams?: readonly {
    readonly index?: number;
    readonly codec_type?: string;
    readonly codec_name?: string;
    readonly time_base?: string;
    readonly duration?: string;
    readonly width?: number;
    readonly height?: number;
    readonly r_frame_rate?: string;
    readonly sample_rate?: string;
    readonly disposition?: { readonly attached_pic?: number; readonly default?: number };
    readonly tags?: Record<string, string>;
  }[];
}

/** What a default track is worth in pixels. */
const DEFAULT_TRACK_PIXELS = 5_000_000;

/**
 * The video stream that FFmpeg selects: of the default tracks before the others the one with most pixels, of equal ones the
 * first, and a cover only if there is nothing else.
 */
export function selectedVideo(streams: readonly Stream[]): Stream | undefined {
  const rank = ({ isAttachedPicture, isDefault, width = 0, height = 0 }: Stream) =>
    isAttachedPicture ? 1 : width * height + (isDefault ? DEFAULT_TRACK_PIXELS : 0);
  const videos = streams.filter(({ kind }) => kind === 'video');
  return videos.reduce<Stream | undefined>(
    (best, stream) => (best === undefined || rank(stream) > rank(best) ? stream : best),
    undefined,
  );
}

/** The latest time stamp of the first video stream, read from its packets; `undefined` if there are very many. */
export async function lastFrameSeconds(
  tools: FfmpegTools,
  path: string,
  options?: FfmpegOptions,
): Promise<number | undefined> {
  const found = ffprobe(tools, path, 'packet=pts_time,dts_time', options, ['-select_streams', 'v:0']);
  const { packets = [] } = (await found.catch((error: unknown) => {
    if (error instanceof ToolFailed && error.code === 'FILE_TOO_LARGE') return {};
    throw error;
  })) as { readonly packets?: readonly { readonly pts_time?: string; readonly dts_time?: string }[] };
  return packets.reduce<number | undefined>((last, { pts_time, dts_time }) => {
    const seconds = positive(pts_time ?? dts_time);
    return seconds === undefined || seconds < (last ?? 0) ? last : seconds;
  }, undefined);
}

function positive(value: string | number | undefined): number | undefined {
  const number = Number(value);
  return Number.isFinite(number) && number > 0 ? number : undefined;
}

/** Parses `30000/1001`; `0/0` is undefined. */
function ratio(text = ''): number | undefined {
  const [numerator, denominator] = text.split('/');
  return positive(Number(numerator) / Number(denominator));
}

function lowerCased(tags: Record<string, string> = {}): Tags {
  return new Map(Object.entries(tags).map(([key, value]) => [key.toLowerCase(), value]));
}
