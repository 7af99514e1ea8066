/** Films and recordings, and changed clips of them. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { makeFilm, numbersOf } from '../../test/support/films.js';
import { makeSound } from '../../test/support/sounds.js';

export type Medium = 'video' | 'audio';

/** A clip that is to be cut out of a file. */
export interface Clip {
  /** Number of the file. */
  readonly of: number;
  readonly startSeconds: number;
  readonly seconds: number;
  readonly change: Change;
}

interface Change {
  readonly name: string;
  /** Arguments of ffmpeg. */
  readonly args: string;
  readonly extension: string;
}

/** Seconds of clips. */
export const LENGTHS = [10, 5];
/** Every other clip begins at a multiple of this. */
const STEP_SECONDS = 5;

const CHANGES: Readonly<Record<Medium, readonly Change[]>> = {
  video: [
    { name: 'encoded again', args: '-crf 36', extension: 'mp4' },
    { name: 'resized', args: '-vf scale=192:108', extension: 'mp4' },
    { name: '30 frames/s', args: '-r 30', extension: 'mp4' },
    { name: '24 frames/s, VP8', args: '-r 24 -b:v 300k -deadline realtime -cpu-used 8', extension: 'webm' },
    { name: 'logo burnt in', args: '-vf drawbox=x=iw-74:y=8:w=64:h=30:color=white:t=fill', extension: 'mp4' },
  ],
  audio: [
    { name: 'MP3, 48 kbit/s', args: '-b:a 48k', extension: 'mp3' },
    { name: 'AAC, 48 kbit/s', args: '-b:a 48k', extension: 'm4a' },
    { name: 'Opus, 24 kbit/s', args: '-b:a 24k', extension: 'opus' },
    { name: '8 kHz', args: '-ar 8000', extension: 'wav' },
    { name: 'a fifth as loud', args: '-af volume=0.2', extension: 'flac' },
  ],
};

const KINDS = ['music', 'speech', 'both'] as const;
/** Seeds of recordings are those of other numbers than those of films and clips. */
const [SOUND_SEED, CLIP_SEED] = [10_000, 20_000];

const run = promisify(execFile);

/** Makes the file with a number, unless it is there. */
export async function makeFile(
  medium: Medium,
  number: number,
  seconds: number,
  folder: string,
): Promise<string> {
  const file = placeOf(medium, number, folder);
  if (existsSync(file)) return file;
  if (medium === 'video') await makeFilm(number, seconds, file);
  else await makeSound(SOUND_SEED + number, KINDS[number % KINDS.length] ?? 'both', seconds, file);
  return file;
}

function placeOf(medium: Medium, number: number, folder: string): string {
  return path.join(folder, `${number}.${medium === 'video' ? 'mp4' : 'wav'}`);
}

/** The clips of a file, `count` of each length. Each has another change than the one before. */
export function clipsOf(medium: Medium, of: number, fileSeconds: number, count: number): Clip[] {
  const random = numbersOf(CLIP_SEED + of);
  const changes = CHANGES[medium];
  return LENGTHS.flatMap((seconds, length) =>
    Array.from({ length: count }, (_, at): Clip => {
      const start = random() * (fileSeconds - seconds);
      const step = at % 2 === 0 ? STEP_SECONDS : 0.01;
      const change = changes[(of + length + 2 * at) % changes.length] as Change;
      return { of, startSeconds: Math.round(start / step) * step, seconds, change };
    }),
  );
}

/** Cuts a clip out of its file and changes it. */
export async function cut(medium: Medium, clip: Clip, folder: string): Promise<string> {
  const { of, startSeconds, seconds, change } = clip;
  const target = path.join(folder, `clip-${of}-${seconds}-${startSeconds.toFixed(2)}.${change.extension}`);
  const source = ['-ss', String(startSeconds), '-t', String(seconds), '-i', placeOf(medium, of, folder)];
  await run('ffmpeg', ['-loglevel', 'error', '-y', ...source, ...change.args.split(' '), target]);
  return target;
}
