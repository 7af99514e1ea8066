/** Recordings that are made by a seed: music, speech-like sound, or both, some with silence. */
import { writeFile } from 'node:fs/promises';
import { type Numbers, numbersOf } from './films.js';

const RATE = 22_050;
const HEADER_BYTES = 44;
/** Share of the recordings that are silent for 2 to 4 s. */
const SILENT_SHARE = 0.4;

/** What a recording has. */
export type SoundKind = 'music' | 'speech' | 'both';

/** Writes a recording of this length as a WAVE file. */
export async function makeSound(seed: number, kind: SoundKind, seconds: number, file: string): Promise<void> {
  const random = numbersOf(seed);
  const samples = new Float32Array(seconds * RATE);
  if (kind !== 'speech') addMusic(samples, random, kind === 'both' ? 0.4 : 1);
  if (kind !== 'music') addSpeech(samples, random);
  if (random() < SILENT_SHARE) {
    const start = Math.floor(random() * samples.length);
    samples.fill(0, start, start + Math.round(RATE * (2 + 2 * random())));
  }
  await writeFile(file, wave(samples));
}

function wave(samples: Float32Array): Buffer {
  const bytes = Buffer.alloc(HEADER_BYTES + 2 * samples.length);
  bytes.write('RIFF');
  bytes.writeUInt32LE(bytes.length - 8, 4);
  bytes.write('WAVEfmt ', 8);
  bytes.writeUInt32LE(16, 16);
  bytes.writeUInt16LE(1, 20);
  bytes.writeUInt16LE(1, 22);
  bytes.writeUInt32LE(RATE, 24);
  bytes.writeUInt32LE(2 * RATE, 28);
  bytes.writeUInt16LE(2, 32);
  bytes.writeUInt16LE(16, 34);
  bytes.write('data', 36);
  bytes.writeUInt32LE(2 * samples.length, 40);
  let peak = 1e-9;
  for (const sample of samples) peak = Math.max(peak, Math.abs(sample));
  for (const [at, sample] of samples.entries())
    bytes.writeInt16LE(Math.round((28_000 * sample) / peak), HEADER_BYTES + 2 * at);
  return bytes;
}

const SCALE = [0, 2, 4, 5, 7, 9, 11];

/** Chords that change every second or two, a melody, and a drum, in a key and at a speed of their own. */
function addMusic(samples: Float32Array, random: Numbers, gain: number): void {
  const key = 110 * 2 ** (random() * 1.2);
  const beat = Math.round(RATE * (0.28 + 0.4 * random()));
  const partials = Array.from({ length: 6 }, (_, at) => random() / (at + 1));
  const degree = () => Math.floor(random() * SCALE.length);
  const pitch = (step: number) => {
    const octave = Math.floor(step / SCALE.length);
    return key * 2 ** (octave + (SCALE[step % SCALE.length] ?? 0) / 12);
  };
  let root = degree();
  for (let start = 0, count = 0; start < samples.length; start += beat, count += 1) {
    if (count % 4 === 0) {
      root = degree();
      for (const third of [0, 2, 4])
        addTone(samples, { start, length: 4 * beat, hz: pitch(root + third), gain: 0.25 * gain, partials });
    }
    if (random() < 0.8)
      addTone(samples, {
        start,
        length: Math.round(beat * (0.5 + random())),
        hz: 2 * pitch(degree() + 2),
        gain: (0.2 + 0.3 * random()) * gain,
        partials,
      });
    addNoise(samples, random, {
      start,
      length: Math.round(0.06 * RATE),
      gain: (count % 2 ? 0.08 : 0.2) * gain,
    });
  }
}

interface Tone {
  readonly start: number;
  readonly length: number;
  readonly hz: number;
  readonly gain: number;
  readonly partials: readonly number[];
}

function addTone(samples: Float32Array, { start, length, hz, gain, partials }: Tone): void {
  const end = Math.min(samples.length, start + length);
  for (const [at, part] of partials.entries()) {
    const step = (2 * Math.PI * hz * (at + 1)) / RATE;
    if (hz * (at + 1) > RATE / 2) break;
    for (let i = start; i < end; i += 1) {
      const age = (i - start) / length;
      samples[i] =
        (samples[i] ?? 0) + gain * part * (1 - age) * Math.min(1, (i - start) / 200) * Math.sin(step * i);
    }
  }
}

function addNoise(
  samples: Float32Array,
  random: Numbers,
  { start, length, gain }: { readonly start: number; readonly length: number; readonly gain: number },
): void {
  for (let i = start; i < Math.min(samples.length, start + length); i += 1)
    samples[i] = (samples[i] ?? 0) + gain * (1 - (i - start) / length) * (2 * random() - 1);
}

/** Syllables of a voice: pulses through three resonances that glide from vowel to vowel, hissing sounds, and pauses. */
function addSpeech(samples: Float32Array, random: Numbers): void {
  const voice = 90 + 130 * random();
  const size = 0.85 + 0.35 * random();
  const between = (low: number, high: number) => low + (high - low) * random();
  const vowel = () => [between(280, 850) * size, between(850, 2300) * size, between(2300, 3300) * size];
  let before = vowel();
  let phase = 0;
  const states = new Float64Array(6);
  for (let start = 0; start < samples.length; ) {
    if (random() < 0.12) start += Math.round(RATE * between(0.15, 0.6));
    if (random() < 0.35) {
      const length = Math.round(RATE * between(0.05, 0.12));
      addNoise(samples, random, { start, length, gain: 0.15 });
      start += length;
    }
    const length = Math.round(RATE * between(0.1, 0.28));
    const after = vowel();
    const [from, to] = [voice * between(0.85, 1.25), voice * between(0.85, 1.25)];
    for (let i = 0; i < length && start + i < samples.length; i += 1) {
      const share = i / length;
      phase += (from + (to - from) * share) / RATE;
      const pulse = phase >= 1 ? 1 : 0;
      phase %= 1;
      let sum = 0;
      for (let at = 0; at < 3; at += 1) {
        const hz = (before[at] ?? 0) * (1 - share) + (after[at] ?? 0) * share;
        const radius = Math.exp((-Math.PI * (60 + 30 * at)) / RATE);
        const [one, two] = [states[2 * at] ?? 0, states[2 * at + 1] ?? 0];
        const value = pulse + 2 * radius * Math.cos((2 * Math.PI * hz) / RATE) * one - radius ** 2 * two;
        states[2 * at + 1] = one;
        states[2 * at] = value;
        sum += value / (at + 1);
      }
      samples[start + i] = (samples[start + i] ?? 0) + 0.06 * sum * Math.sin(Math.PI * share);
    }
    before = after;
    start += length;
  }
}
