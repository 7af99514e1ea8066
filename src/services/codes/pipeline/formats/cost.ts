/**
 * Refuses audio and video that would take far more work than their content can be worth, such as two seconds of film
 * with a gap of a week between two frames.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { FfmpegOptions, FfmpegTools } from '../../tools/ffmpeg.js';
import { FileError } from '../../tools/file-error.js';
import { lastFrameSeconds } from '../../tools/probe.js';

/** Telephones sample 8000 times per second. At 1 Hz, a file of 10 MB would play for two months. */
export const SAMPLE_RATE_MIN_HZ = 1000;

/** @throws {FileError} if the rate is known and lower than {@link SAMPLE_RATE_MIN_HZ} */
export function checkSampleRate(hertz: number | undefined): void {
  if (hertz === undefined || hertz >= SAMPLE_RATE_MIN_HZ) return;
  throw costly(`the sample rate of ${hertz} Hz is below ${SAMPLE_RATE_MIN_HZ} Hz`);
}

/** A film of this length is plausible in any size. */
const USUAL_SECONDS = 2 * 3600;
/** Even films of unchanging pictures have at least this rate. */
const BYTES_PER_SECOND_MIN = 20;

/** How many seconds a film of this size may play. A gap between two time stamps is filled with copies of a frame. */
export function playingSecondsMax(bytes: number): number {
  return USUAL_SECONDS + bytes / BYTES_PER_SECOND_MIN;
}

/**
 * @throws {FileError} if the film says that it plays for longer, and its time stamps agree. Some writers store a wrong
 * duration, which costs nothing.
 */
export async function checkDuration(
  tools: FfmpegTools,
  path: string,
  duration: number | undefined,
  options?: FfmpegOptions,
): Promise<void> {
  if (duration === undefined || duration <= playingSecondsMax(0)) return;
  const secondsMax = playingSecondsMax((await stat(path)).size);
  if (duration <= secondsMax) return;
  const last = await lastFrameSeconds(tools, path, options);
  if (last !== undefined && last > secondsMax) throw costly(`the last frame is at ${Math.round(last)} s`);
}

/** The number of frames of a signature in the binary form of ISO/IEC 15938-3, which is not aligned to bytes. */
export function signatureFrames(signature: Buffer): number {
  const BIT = 129;
  const at = Math.floor(BIT / 8);
  if (signature.length < at + 5) return 0;
  return Number((BigInt(signature.readUIntBE(at, 5)) >> BigInt(8 - (BIT % 8))) & 0xffff_ffffn);
}

/** @throws {FileError} if the film was cut at its maximum */
export function checkFrames(signature: Buffer, framesMax: number): void {
  if (signatureFrames(signature) < framesMax) return;
  throw costly(`the film has more than ${framesMax} frames, so its time stamps have gaps`);
}

const HEADER_BYTES = 8;
const LARGE_HEADER_BYTES = 16;
const WINDOW_BYTES = 4096;
const DEPTH_MAX = 16;
/** So many boxes are plausible in any file. */
const USUAL_BOXES = 100_000;
/** Larger files may have more boxes of at least this mean size. */
const MEAN_BOX_BYTES_MIN = 24;
/** Boxes that consist of other boxes. */
const PARENTS: ReadonlySet<string> = new Set(
  'moov trak mdia minf stbl udta edts dinf mvex moof traf mfra ilst'.split(' '),
);
const BOX_TYPES: ReadonlySet<string> = new Set([
  ...['video/mp4', 'video/x-m4v', 'video/quicktime', 'video/3gpp', 'video/3gpp2'],
  ...['audio/mp4', 'audio/3gpp', 'audio/3gpp2', 'audio/x-m4a'],
]);

/** @throws {FileError} if the file is an MP4, QuickTime or 3GP file of countless tiny boxes, which demuxers read one by one */
export function checkBoxes({ path, mediatype }: { readonly path: string; readonly mediatype: string }): void {
  if (!BOX_TYPES.has(mediatype)) return;
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    const boxesMax = Math.max(USUAL_BOXES, size / MEAN_BOX_BYTES_MIN);
    if (new BoxCounter(file, boxesMax).isAbove(size))
      throw costly(`there are more than ${Math.round(boxesMax)} boxes`);
  } finally {
    closeSync(file);
  }
}

/** Reads headers only, so that large boxes cost one read each and small ones one read per thousands. */
class BoxCounter {
  readonly #file: number;
  readonly #boxesMax: number;
  readonly #window = Buffer.alloc(WINDOW_BYTES);
  #start = 0;
  #end = 0;
  #boxes = 0;

  constructor(file: number, boxesMax: number) {
    this.#file = file;
    this.#boxesMax = boxesMax;
  }

  /** Whether there are more boxes than the maximum before `end`. */
  isAbove(end: number, start = 0, depth = 0): boolean {
    for (let at = start; end - at >= HEADER_BYTES; ) {
      const box = this.#box(at, end);
      if (box === undefined) return false;
      this.#boxes += 1;
      if (this.#boxes > this.#boxesMax) return true;
      const isParent = PARENTS.has(box.type) && depth < DEPTH_MAX;
      if (isParent && this.isAbove(box.end, box.contentStart, depth + 1)) return true;
      at = box.end;
    }
    return false;
  }

  /** The box at `at`; `undefined` if it is invalid. A size of 0 means up to the end. */
  #box(at: number, end: number) {
    const header = this.#header(at);
    if (header.length < HEADER_BYTES) return undefined;
    const short = header.readUInt32BE();
    const isLarge = short === 1 && header.length >= LARGE_HEADER_BYTES;
    const headerBytes = isLarge ? LARGE_HEADER_BYTES : HEADER_BYTES;
    const bytes = isLarge ? Number(header.readBigUInt64BE(HEADER_BYTES)) : short || end - at;
    if (bytes < headerBytes) return undefined;
    const type = header.toString('latin1', 4, HEADER_BYTES);
    return { type, contentStart: at + headerBytes, end: Math.min(end, at + bytes) };
  }

  #header(at: number): Buffer {
    if (at < this.#start || at + LARGE_HEADER_BYTES > this.#end) {
      this.#start = at;
      this.#end = at + readSync(this.#file, this.#window, 0, WINDOW_BYTES, at);
    }
    return this.#window.subarray(
      at - this.#start,
      Math.min(at - this.#start + LARGE_HEADER_BYTES, this.#end - this.#start),
    );
  }
}

function costly(reason: string): FileError {
  return new FileError('FILE_TOO_COSTLY', reason);
}
