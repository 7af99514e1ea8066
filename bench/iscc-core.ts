/**
 * The addon, called from Node.js, compared with iscc-core (PyPI), the reference implementation of ISO 24138, on the same
 * input. Fails if their codes differ.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { native } from '../src/native.js';
import { QUICK, quickOr } from './support/options.js';

const PEER = 'iscc-core==1.5.0';
const SECONDS_PER_CASE = quickOr(0.05, 0.5);
const BITS = 256;
const DATA_BYTES = 1024 * 1024;
const TEXT_CHARACTERS = 100_000;
const CODES = 256;
/** Record of a decoded code: a length byte, header and body. */
const DECODED_BYTES = 43;

const run = promisify(execFile);
const peers = path.join(import.meta.dirname, '.peers', 'iscc-core');
const python = path.join(peers, 'bin', 'python');

/** Pseudo-random bytes with a fixed seed, so that every run has the same input (Numerical Recipes' LCG). */
function randomBytes(length: number): Buffer {
  const bytes = Buffer.alloc(length);
  let state = 1;
  for (let index = 0; index < length; index += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    bytes[index] = state >>> 24;
  }
  return bytes;
}

function words(characters: number): string {
  const random = randomBytes(characters);
  const letters = Array.from(random, (byte) => (byte < 40 ? ' ' : String.fromCharCode(97 + (byte % 26))));
  return letters.join('').trim();
}

const data = randomBytes(DATA_BYTES);
const text = words(TEXT_CHARACTERS);
const pixels = randomBytes(1024);
const codes = Array.from({ length: CODES }, (_, index) => {
  return native.encodeUnit(3, 0, 0, 64, randomBytes(32 + index).subarray(index));
});
const joined = codes.join('\n');
const decoded = new Uint8Array(CODES * DECODED_BYTES);

const cases: Readonly<Record<string, () => string | Promise<string>>> = {
  'Data-Code': () => native.dataCode(data, BITS),
  'Instance-Code': () => native.instanceCode(data, BITS),
  'Text-Code': async () => (await native.textCode(text, BITS)).iscc,
  'Image-Code': () => native.imageCode(pixels, BITS, '0.9.7'),
  'Meta-Code': async () => (await native.metaCode({ name: 'A title of a work' }, BITS)).iscc,
  decode: () => {
    native.decodeCodes(joined, decoded, DECODED_BYTES);
    return '';
  },
};

async function best(work: () => string | Promise<string>): Promise<Measured> {
  const end = performance.now() + SECONDS_PER_CASE * 1000;
  let seconds = Number.POSITIVE_INFINITY;
  let value = '';
  do {
    const start = performance.now();
    value = await work();
    seconds = Math.min(seconds, (performance.now() - start) / 1000);
  } while (performance.now() < end);
  return { seconds, value };
}

interface Measured {
  readonly seconds: number;
  readonly value: string;
}

/** Installs the peer unless it is installed, and runs its cases on the files in `folder`. */
async function runPeer(folder: string): Promise<Record<string, Measured>> {
  if (!existsSync(python)) {
    await run('python3', ['-m', 'venv', peers]);
    await run(python, ['-m', 'pip', 'install', '--quiet', PEER]);
  }
  const script = path.join(import.meta.dirname, 'support', 'iscc_core_peer.py');
  const { stdout } = await run(python, [script, folder, String(SECONDS_PER_CASE)]);
  return JSON.parse(stdout) as Record<string, Measured>;
}

const folder = await mkdtemp(path.join(tmpdir(), 'isccd-bench-'));
try {
  await writeFile(path.join(folder, 'data.bin'), data);
  await writeFile(path.join(folder, 'text.txt'), text);
  await writeFile(path.join(folder, 'pixels.bin'), pixels);
  await writeFile(path.join(folder, 'codes.txt'), joined);
  const theirs = QUICK ? undefined : await runPeer(folder);
  console.log(`${''.padEnd(16)}${PEER.padStart(18)}${'isccd'.padStart(14)}${'ratio'.padStart(9)}`);
  for (const [name, work] of Object.entries(cases)) {
    const ours = await best(work);
    // Without the peer the result is compared with itself.
    const peer = theirs === undefined ? ours : theirs[name];
    if (peer?.value !== ours.value) throw new Error(`${name}: the codes differ`);
    const [a, b] = [peer.seconds, ours.seconds].map((seconds) => `${(seconds * 1e6).toFixed(1)} us`);
    const ratio = (peer.seconds / ours.seconds).toFixed(0);
    console.log(`${name.padEnd(16)}${a?.padStart(18)}${b?.padStart(14)}${ratio.padStart(8)}x`);
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
