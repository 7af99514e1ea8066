/** Reads duration, streams and tags of a file with `ffprobe`. */
import { type FfmpegOptions, type FfmpegTools, ffprobe } from './ffmpeg.js';

/** Values by lower-case key. */
export type Tags = ReadonlyMap<string, string>;

export interface Stream {
  readonly kind: string;
  /** Seconds. */
  readonly duration: number | undefined;
  readonly width: number | undefined;
  readonly height: number | undefined;
  /** Frames per second. */
  readonly frameRate: number | undefined;
  /** Whether the stream is a cover image and not a video. */
  readonly isAttachedPicture: boolean;
  readonly tags: Tags;
}

export interface Probe {
  readonly duration: number | undefined;
  readonly tags: Tags;
  readonly streams: readonly Stream[];
}

const ENTRIES = [
  'format=duration:format_tags',
  'stream=codec_type,duration,width,height,r_frame_rate:stream_disposition=attached_pic:stream_tags',
].join(':');

export async function probe(tools: FfmpegTools, path: string, options?: FfmpegOptions): Promise<Probe> {
  const { format = {}, streams = [] } = (await ffprobe(tools, path, ENTRIES, options)) as ProbeJson;
  return {
    duration: positive(format.duration),
    tags: lowerCased(format.tags),
    streams: streams.map((stream) => ({
      kind: stream.codec_type ?? '',
      duration: positive(stream.duration),
      width: positive(stream.width),
      height: positive(stream.height),
      frameRate: ratio(stream.r_frame_rate),
      isAttachedPicture: stream.disposition?.attached_pic === 1,
      tags: lowerCased(stream.tags),
    })),
  };
}

/** Unknown values are absent. Fractional numbers are strings. */
interface ProbeJson {
  readonly format?: { readonly duration?: string; readonly tags?: Record<string, string> };
  readonly streams?: readonly {
    readonly codec_type?: string;
    readonly duration?: string;
    readonly width?: number;
    readonly height?: number;
    readonly r_frame_rate?: string;
    readonly disposition?: { readonly attached_pic?: number };
    readonly tags?: Record<string, string>;
  }[];
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
