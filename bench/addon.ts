/**
 * The addon's functions as called from Node.js, compared with iscc-lib behind an addon of the same kind
 * (`iscc-lib-addon`), which keeps the signatures of iscc-lib's own binding. Both run in alternating rounds, after their
 * results were compared.
 */
import { copyFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { CARGO_OPTIONS, run } from '../scripts/lib.mjs';
import { composeCode, decodeCode, decomposeCode, encodeUnit } from '../src/iscc/codec.js';
import { native } from '../src/native.js';
import { quickOr } from './support/options.js';

const ROUNDS = quickOr(1, 30);
const CODES = 256;
/** Record of a decoded code: a length byte, header and body. */
const DECODED_BYTES = 43;
const CJK_CHARACTERS = 300_000;

interface Peer {
  decode(code: string): { maintype: number; digest: Buffer };
  encode(main: number, sub: number, version: number, bits: number, digest: Buffer): string;
  decompose(code: string): string[];
  compose(units: string[]): string;
  clean(text: string): string;
  collapse(text: string): string;
}

type Work = () => unknown | Promise<unknown>;

interface Case {
  readonly name: string;
  /** Minimum speed, as a multiple of the peer's. */
  readonly target: number;
  readonly ours: Work;
  readonly peer: Work;
}

const peer = loadPeer();
const digests = Array.from({ length: CODES }, (_, seed) => randomBytes(32, seed));
const units = digests.map((digest) => encodeUnit(3, 0, 0, 64, digest));
const sets = digests.map((digest) => [
  encodeUnit(0, 0, 0, 64, digest),
  encodeUnit(2, 0, 0, 64, digest),
  encodeUnit(3, 0, 0, 64, digest),
  encodeUnit(4, 0, 0, 64, digest),
]);
const codes = sets.map((set) => composeCode(set));
const joined = units.join('\n');
const records = new Uint8Array(CODES * DECODED_BYTES);
const body = new Uint8Array(40);
const cjk = String.fromCodePoint(
  ...Array.from(randomBytes(CJK_CHARACTERS, 7), (byte, index) => 0x4e00 + ((byte << 6) ^ (index & 63))).slice(
    0,
    60_000,
  ),
).repeat(5);

const bodies = (digest: Uint8Array) => Buffer.from(digest).toString('hex');
const peerBodies = () => units.map((unit) => bodies(peer.decode(unit).digest));

const cases: readonly Case[] = [
  {
    name: 'decode to objects',
    target: 1.4,
    ours: () => units.map((unit) => decodeCode(unit)),
    peer: () => units.map((unit) => peer.decode(unit)),
  },
  {
    name: 'decode into an array',
    target: 6,
    ours: () => each((unit) => native.decodeCodeInto(unit, body)),
    peer: () => each((unit) => peer.decode(unit)),
  },
  {
    name: 'decode as a batch',
    target: 40,
    ours: () => void native.decodeCodes(joined, records, DECODED_BYTES),
    peer: () => each((unit) => peer.decode(unit)),
  },
  {
    name: 'encode',
    target: 2,
    ours: () => digests.map((digest) => encodeUnit(3, 0, 0, 64, digest)),
    peer: () => digests.map((digest) => `ISCC:${peer.encode(3, 0, 0, 64, digest)}`),
  },
  {
    name: 'decompose',
    target: 2,
    ours: () => codes.map((code) => decomposeCode(code)),
    peer: () => codes.map((code) => peer.decompose(code)),
  },
  {
    name: 'compose',
    target: 2,
    ours: () => sets.map((set) => composeCode(set)),
    peer: () => sets.map((set) => peer.compose(set)),
  },
  { name: 'text_clean, CJK', target: 4, ours: () => native.textClean(cjk), peer: () => peer.clean(cjk) },
  {
    name: 'text_collapse, CJK',
    target: 6,
    ours: () => native.textCollapse(cjk),
    peer: () => peer.collapse(cjk),
  },
];

/** Calls `work` with every unit and drops the results. */
function each(work: (unit: string) => unknown): void {
  for (const unit of units) work(unit);
}

checkBatch();
console.log(
  `${''.padEnd(24)}${'iscc-lib'.padStart(12)}${'isccd'.padStart(12)}${'ratio'.padStart(8)}  target`,
);
for (const one of cases) {
  const [ours, theirs] = await compare(one);
  const ratio = theirs / ours;
  const columns = [theirs, ours].map((seconds) => `${(seconds * 1e6).toFixed(1)} us`.padStart(12));
  const verdict = ratio >= one.target ? 'reached' : 'MISSED';
  console.log(
    `${one.name.padEnd(24)}${columns.join('')}${ratio.toFixed(1).padStart(7)}x${String(one.target).padStart(8)} ${verdict}`,
  );
}

/** Minimum seconds per call of ours and of the peer, in alternating rounds. */
async function compare({ name, ours, peer: theirs }: Case): Promise<[number, number]> {
  const [a, b] = [await ours(), await theirs()];
  const comparable = typeof a === 'string' || (Array.isArray(a) && !name.startsWith('decode'));
  if (comparable && JSON.stringify(a) !== JSON.stringify(b)) throw new Error(`${name}: the results differ`);
  const least: [number, number] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 0; round < ROUNDS; round += 1) {
    least[0] = Math.min(least[0], await seconds(ours));
    least[1] = Math.min(least[1], await seconds(theirs));
  }
  return least;
}

async function seconds(work: Work): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}

/** Checks that all three decoding functions give the peer's results. */
function checkBatch(): void {
  native.decodeCodes(joined, records, DECODED_BYTES);
  const expected = peerBodies();
  for (const [index, unit] of units.entries()) {
    const record = records.subarray(index * DECODED_BYTES);
    const batch = bodies(record.subarray(3, 1 + (record[0] ?? 0)));
    const count = native.decodeCodeInto(unit, body) >> 12;
    const each = [batch, bodies(decodeCode(unit).body), bodies(body.subarray(0, count))];
    if (each.some((hex) => hex !== expected[index])) throw new Error(`${unit} is decoded differently`);
  }
}

/** Pseudo-random bytes with a fixed seed, so that every run has the same input (Numerical Recipes' LCG). */
function randomBytes(length: number, seed: number): Buffer {
  const bytes = Buffer.alloc(length);
  let state = seed + 1;
  for (let index = 0; index < length; index += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    bytes[index] = state >>> 24;
  }
  return bytes;
}

function loadPeer(): Peer {
  const root = path.join(import.meta.dirname, '..');
  run('cargo', ['build', '--quiet', '--release', ...CARGO_OPTIONS, '-p', 'iscc-lib-addon']);
  const target = process.env.CARGO_TARGET_DIR ?? path.join(root, 'target');
  const library = process.platform === 'darwin' ? 'libiscc_lib_addon.dylib' : 'libiscc_lib_addon.so';
  const addon = path.join(target, 'release', 'iscc-lib-addon.node');
  copyFileSync(path.join(target, 'release', library), addon);
  return createRequire(import.meta.url)(addon) as Peer;
}
