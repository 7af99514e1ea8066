/** The module for browsers against the addon: hashing in a worker thread, and the codes of pictures. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { loadCodes } from '../dist/wasm/index.js';
import { buildWasm, WASM, wasmJpegProblem, wasmProblem } from '../scripts/build-wasm.mjs';
import { native } from '../src/native.js';

const quick = process.argv.includes('--quick');
const HASHED_BYTES = 20_000_000;
const ROUNDS = quick ? 1 : 7;
const [WIDTH, HEIGHT] = quick ? [400, 300] : [4000, 3000];

const WORKER = `
import { readFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
const { loadCodes } = await import(workerData.library);
const codes = await loadCodes(readFileSync(workerData.wasm));
parentPort.on('message', (bytes) => {
  const start = performance.now();
  const hasher = codes.sumHasher();
  hasher.update(bytes);
  const { datahash } = hasher.finish();
  parentPort.postMessage({ datahash, ms: performance.now() - start });
});`;

buildWasm();
const problem = wasmProblem();
if (problem === undefined) await main();
else console.log(`0 measurements, no module for browsers: ${problem}`);

async function main(): Promise<void> {
  await hashing();
  const large = png(WIDTH, HEIGHT);
  await picture('PNG', large);
  const noJpeg = wasmJpegProblem();
  if (noJpeg === undefined) await picture('JPEG', await sharp(large).jpeg({ quality: 85 }).toBuffer());
  else console.log(`JPEG: not measured, ${noJpeg}`);
}

async function hashing(): Promise<void> {
  const bytes = noise(HASHED_BYTES);
  const library = new URL('../dist/wasm/index.js', import.meta.url).href;
  const script = new URL(`data:text/javascript,${encodeURIComponent(WORKER)}`);
  const worker = new Worker(script, { workerData: { library, wasm: WASM } });
  const own = await best(
    () =>
      new Promise<number>((resolve, reject) => {
        worker.once('message', ({ ms }: { ms: number }) => resolve(ms));
        worker.once('error', reject);
        worker.postMessage(bytes);
      }),
  );
  await worker.terminate();
  const peer = await best(() => timed(() => new native.SumHasher().finish(bytes)));
  report('20 MB, Data- and Instance-Code in a worker', own, peer);
  console.log(`  ${(HASHED_BYTES / 1000 / own).toFixed(0)} MB/s`);
}

async function picture(format: string, bytes: Uint8Array): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'isccd-bench-'));
  try {
    const file = path.join(folder, 'picture');
    writeFileSync(file, bytes);
    const codes = await loadCodes(readFileSync(WASM));
    const own = await best(() => timed(() => codes.pictureFile(bytes)));
    const peer = await best(() => timed(() => native.imageContent(file, '0.9.7', 64, false)));
    report(`${format} of ${((WIDTH * HEIGHT) / 1e6).toFixed(1)} megapixels`, own, peer);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function report(name: string, own: number, peer: number): void {
  console.log(`${name}: ${own.toFixed(1)} ms, addon ${peer.toFixed(1)} ms, ${(own / peer).toFixed(2)} times`);
}

async function best(measure: () => Promise<number>): Promise<number> {
  let least = await measure();
  for (let round = 1; round < ROUNDS; round++) least = Math.min(least, await measure());
  return least;
}

async function timed(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function noise(length: number): Uint8Array {
  const words = new Uint32Array(length / 4);
  let state = 1;
  for (let at = 0; at < words.length; at++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    words[at] = state ^ (state >>> 13);
  }
  return new Uint8Array(words.buffer);
}

/** RGB with gradients and some noise, each row filtered by `Sub`. */
function png(width: number, height: number): Uint8Array {
  const rows = Buffer.alloc(height * (1 + width * 3));
  const grain = noise(width * height * 3 + 4);
  for (let y = 0, at = 0; y < height; y++) {
    rows[at++] = 1;
    for (let x = 0; x < width * 3; x++)
      rows[at++] = ((grain[y * width + x] ?? 0) & 3) + (x % 97 === 0 ? 40 : 0);
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const parts = [
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows, { level: 3 })),
    chunk('IEND', Buffer.alloc(0)),
  ];
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...parts]);
}

function chunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
