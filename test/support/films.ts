/**
 * Films that are made by a seed: textures with camera moves and moving shapes, in shots of 1.5 to 20 s with cuts and
 * cross-fades. Some shots are dark, black, still, or fast.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Random } from './torture.js';

const WIDTH = 160;
const HEIGHT = 90;
const RATE = 25;
const TEXTURE = 256;

interface Shape {
  readonly x: number;
  readonly y: number;
  readonly moveX: number;
  readonly moveY: number;
  readonly radius: number;
  readonly level: number;
}

interface Shot {
  readonly frames: number;
  /** Frames over which it fades into the next. */
  readonly fade: number;
  readonly texture: Uint8Array;
  readonly from: readonly [x: number, y: number, scale: number];
  readonly move: readonly [x: number, y: number, scale: number];
  readonly gain: number;
  readonly shapes: readonly Shape[];
}

/** A source of numbers from 0 to 1. */
export type Numbers = () => number;

/** Numbers that are the same for the same seed. */
export function numbersOf(seed: number): Numbers {
  const random = new Random(seed);
  return () => random.word() / 2 ** 32;
}

/** Writes a film of this length. */
export async function makeFilm(seed: number, seconds: number, file: string): Promise<void> {
  const raw = `-f rawvideo -pix_fmt gray -s ${WIDTH}x${HEIGHT} -r ${RATE} -i -`.split(' ');
  const coded = '-vf scale=320:180,format=yuv420p -c:v libx264 -preset veryfast -crf 23'.split(' ');
  const child = spawn('ffmpeg', ['-loglevel', 'error', ...raw, ...coded, file], {
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  const end = once(child, 'exit');
  for (const frame of frames(numbersOf(seed), seconds * RATE))
    if (!child.stdin.write(frame)) await once(child.stdin, 'drain');
  child.stdin.end();
  const [code] = await end;
  if (code !== 0) throw new Error(`ffmpeg: exit code ${code}`);
}

function* frames(random: Numbers, count: number): Generator<Uint8Array> {
  let shot = shotOf(random);
  let at = 0;
  let next: Shot | undefined;
  for (let frame = 0; frame < count; frame += 1) {
    if (at === shot.frames) {
      at = next === undefined ? 0 : shot.fade;
      shot = next ?? shotOf(random);
      next = undefined;
    }
    const left = shot.frames - at;
    const picture = pictureOf(shot, at);
    if (left < shot.fade) {
      next ??= shotOf(random);
      blend(picture, pictureOf(next, shot.fade - left), 1 - left / shot.fade);
    }
    yield picture;
    at += 1;
  }
}

function shotOf(random: Numbers): Shot {
  const between = (low: number, high: number) => low + (high - low) * random();
  const isLong = random() < 0.15;
  const isStill = random() < 0.2;
  const isFast = random() < 0.1;
  const isBlack = random() < 0.05;
  const frames = Math.round(RATE * (isLong ? between(8, 20) : between(1.5, 6)));
  const speed = isStill ? 0 : isFast ? 8 : 1;
  const light = random() < 0.15 ? between(0.15, 0.4) : between(0.8, 1);
  return {
    frames,
    fade: random() < 0.2 ? Math.round(between(5, 20)) : 0,
    texture: textureOf(random),
    from: [between(0, TEXTURE), between(0, TEXTURE), between(0.4, 1.3)],
    move: [speed * between(-0.6, 0.6), speed * between(-0.3, 0.3), speed * between(-0.002, 0.002)],
    gain: isBlack ? 0 : light,
    shapes: Array.from({ length: Math.floor(between(1, 5)) }, () => ({
      x: between(0, WIDTH),
      y: between(0, HEIGHT),
      moveX: speed * between(-1, 1),
      moveY: speed * between(-0.5, 0.5),
      radius: between(6, 28),
      level: between(0, 255),
    })),
  };
}

/** Value noise of several sizes, as in surfaces and landscapes. */
function textureOf(random: Numbers): Uint8Array {
  const sums = new Float32Array(TEXTURE * TEXTURE);
  let weight = 1;
  for (const cells of [3, 6, 13, 29]) {
    const grid = Float32Array.from({ length: cells * cells }, random);
    const value = (x: number, y: number) => grid[(y % cells) * cells + (x % cells)] ?? 0;
    for (let y = 0; y < TEXTURE; y += 1) {
      const gy = (y / TEXTURE) * cells;
      const y0 = Math.floor(gy);
      const fy = gy - y0;
      for (let x = 0; x < TEXTURE; x += 1) {
        const gx = (x / TEXTURE) * cells;
        const x0 = Math.floor(gx);
        const fx = gx - x0;
        const top = value(x0, y0) * (1 - fx) + value(x0 + 1, y0) * fx;
        const low = value(x0, y0 + 1) * (1 - fx) + value(x0 + 1, y0 + 1) * fx;
        sums[y * TEXTURE + x] = (sums[y * TEXTURE + x] ?? 0) + weight * (top * (1 - fy) + low * fy);
      }
    }
    weight *= 0.55;
  }
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const sum of sums) {
    if (sum < low) low = sum;
    if (sum > high) high = sum;
  }
  return Uint8Array.from(sums, (sum) => (255 * (sum - low)) / (high - low));
}

function pictureOf({ texture, from, move, gain, shapes }: Shot, at: number): Uint8Array {
  const picture = new Uint8Array(WIDTH * HEIGHT);
  const left = from[0] + move[0] * at;
  const top = from[1] + move[1] * at;
  const scale = Math.max(0.2, from[2] + move[2] * at);
  for (let y = 0; y < HEIGHT; y += 1) {
    const row = ((Math.floor(top + y * scale) % TEXTURE) + TEXTURE) % TEXTURE;
    for (let x = 0; x < WIDTH; x += 1) {
      const column = ((Math.floor(left + x * scale) % TEXTURE) + TEXTURE) % TEXTURE;
      picture[y * WIDTH + x] = gain * (texture[row * TEXTURE + column] ?? 0);
    }
  }
  for (const shape of shapes) draw(picture, shape, at, gain);
  return picture;
}

function draw(picture: Uint8Array, shape: Shape, at: number, gain: number): void {
  const { radius, level } = shape;
  const centreX = (((shape.x + shape.moveX * at) % WIDTH) + WIDTH) % WIDTH;
  const centreY = (((shape.y + shape.moveY * at) % HEIGHT) + HEIGHT) % HEIGHT;
  for (let y = Math.max(0, Math.ceil(centreY - radius)); y < Math.min(HEIGHT, centreY + radius); y += 1) {
    const half = Math.sqrt(Math.max(0, radius ** 2 - (y - centreY) ** 2));
    const start = Math.max(0, Math.ceil(centreX - half));
    picture.fill(
      gain * level,
      y * WIDTH + start,
      y * WIDTH + Math.max(start, Math.min(WIDTH, Math.ceil(centreX + half))),
    );
  }
}

function blend(picture: Uint8Array, other: Uint8Array, share: number): void {
  for (const [at, level] of other.entries()) picture[at] = (picture[at] ?? 0) * (1 - share) + level * share;
}
