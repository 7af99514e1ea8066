/** Mutations of files: flipped bits, extreme numbers, cut, moved and repeated spans. */
import type { Random } from '../../support/torture.js';

/** Numbers at which lengths and counts overflow, big-endian and little-endian alike. */
const EXTREMES = [
  [0xff, 0xff, 0xff, 0xff],
  [0, 0, 0, 0],
  [0x7f, 0xff, 0xff, 0xff],
  [0x80, 0, 0, 0],
  [0, 0, 0, 0x80],
  [0xff, 0xff],
  [0, 1],
  [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
];
const SPANS = [1, 8, 200, 4000];
/** Half of the mutations hit the headers, where most of a format's structure is. */
const HEADER_BYTES = 512;

/** One to sixteen mutations; at most `bytesMax` bytes. */
export function mutate(random: Random, original: Uint8Array, bytesMax: number): Uint8Array<ArrayBuffer> {
  let bytes = new Uint8Array(original);
  for (let left = random.pick([1, 1, 2, 4, 16]); left > 0; left -= 1)
    bytes = mutateOnce(random, bytes, bytesMax);
  return bytes.slice(0, bytesMax);
}

function mutateOnce(
  random: Random,
  bytes: Uint8Array<ArrayBuffer>,
  bytesMax: number,
): Uint8Array<ArrayBuffer> {
  if (bytes.length === 0) return Uint8Array.of(random.below(256));
  const at = random.below(random.chance(0.5) ? Math.min(bytes.length, HEADER_BYTES) : bytes.length);
  const end = Math.min(bytes.length, at + random.pick(SPANS));
  const before = bytes.subarray(0, at);
  const kind = random.below(8);
  if (kind === 0) bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8));
  else if (kind === 1) bytes[at] = random.below(256);
  else if (kind === 2) bytes.set(random.pick(EXTREMES).slice(0, bytes.length - at), at);
  else if (kind === 3) return random.chance(0.3) ? bytes.slice(0, at) : bytes;
  else if (kind === 4) return joined(before, random.bytes(random.pick([1, 4, 100])), bytes.subarray(at));
  else if (kind === 5) return joined(before, bytes.subarray(end));
  else if (kind === 6) return joined(before, bytes.subarray(at, end), bytes.subarray(at));
  else return amplified(random, bytes, [at, end], bytesMax);
  return bytes;
}

/** Repeats a span 10^2 to 10^5 times: parsers that nest or list without a limit need time or memory for it. */
function amplified(
  random: Random,
  bytes: Uint8Array<ArrayBuffer>,
  [start, end]: readonly [number, number],
  bytesMax: number,
): Uint8Array<ArrayBuffer> {
  const span = bytes.subarray(start, end);
  const wanted = random.pick([100, 1000, 10_000, 100_000]);
  const times = Math.max(1, Math.min(wanted, Math.floor((bytesMax - bytes.length) / span.length)));
  return joined(
    bytes.subarray(0, start),
    ...Array.from({ length: times }, () => span),
    bytes.subarray(start),
  );
}

function joined(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.concat(parts));
}
