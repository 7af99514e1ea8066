/** The module for browsers, in Node.js: the vectors of iscc-core, and the units of files, which equal the addon's. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Codes, loadCodes } from '../../dist/wasm/index.js';
import { WASM, wasmJpegProblem, wasmProblem } from '../../scripts/build-wasm.mjs';
import { native } from '../../src/native.js';
import { functionsOf, type Library, vectorsOf } from '../support/vectors.js';

const FOLDERS = ['files', 'jpeg', 'markup', 'tiff'].map((name) =>
  path.resolve(import.meta.dirname, '../fixtures/codes', name),
);
const OFFICE = path.resolve(import.meta.dirname, '../fixtures/office');
/** Larger ones take too long. */
const DAMAGED_BYTES_MAX = 60_000;
const COMPRESSED_BYTES_MAX = 1.5 * 1024 * 1024;

const problem = wasmProblem();
if (problem !== undefined) console.warn(`skipped, no module for browsers: ${problem}`);
const jpegProblem = wasmJpegProblem();
if (problem === undefined && jpegProblem !== undefined)
  console.warn(`JPEG is skipped, the module for browsers decodes none: ${jpegProblem}`);
/** Decoders that the module lacks, or whose result depends on the machine. */
const AT_THE_SERVER = new Set(['image/jp2', 'image/svg+xml', 'image/heic', 'image/avif']);
if (jpegProblem !== undefined) AT_THE_SERVER.add('image/jpeg');

const files = [...FOLDERS, OFFICE].flatMap((folder) =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => path.join(folder, name)),
);

describe.skipIf(problem !== undefined)('isccd-wasm', () => {
  let codes: Codes;
  beforeAll(async () => {
    codes = await loadCodes(readFileSync(WASM));
  });
  const withMode = (mode: string) =>
    files.filter((file) => native.inspect(path.basename(file), readFileSync(file)).mode === mode);

  it('is small enough to be loaded by a page', () => {
    expect(gzipSync(readFileSync(WASM), { level: 9 }).length).toBeLessThan(COMPRESSED_BYTES_MAX);
  });

  it('has the results of all vectors of iscc-core', async () => {
    const functions = functionsOf(codes as Library);
    const vectors = vectorsOf(codes as Library);
    expect(vectors.map(([name]) => name).sort()).toEqual(Object.keys(functions).sort());
    for (const [name, cases] of vectors) {
      for (const [title, { inputs, outputs }] of Object.entries(cases))
        expect([title, await functions[name]?.(inputs)]).toEqual([title, outputs]);
    }
  });

  it('explains, normalises, splits and compares codes as the addon does', () => {
    const [a, b] = [
      'KEC6ZKQ4VTSMZ5QNUGYGDRAZYOLBDJRZUL4R4ZJPQCEGBEWBXGF5ZWA',
      codes.textCode('Some text', 256).iscc,
    ];
    for (const code of [a, b]) {
      expect(codes.explain(code)).toEqual(native.explain(code));
      expect(codes.decompose(code)).toEqual(native.decomposeCode(code).split('\n'));
    }
    expect(codes.compare(b, codes.textCode('Some texts', 64).iscc)).toEqual(
      native.compareCodes(b, codes.textCode('Some texts', 64).iscc),
    );
    expect(codes.normalize(b.replace('ISCC:', 'iscc:'))).toBe(b);
  });

  it.each(files)('sums %s as the addon does, in pieces of any size', async (file) => {
    const bytes = readFileSync(file);
    const [own, hasher] = [codes.sumHasher(), new native.SumHasher()];
    for (let at = 0; at < bytes.length; at += 70_001) own.update(bytes.subarray(at, at + 70_001));
    const sum = await hasher.finish(bytes);
    const { iscc, ...rest } = own.finish({ bits: 256 });
    expect(rest).toEqual(sum);
    expect(iscc).toBe(codes.isccCode(sum.units));
  });

  it('knows the media type and the mode of every file as the addon does', () => {
    for (const file of files) {
      const [name, bytes] = [path.basename(file), readFileSync(file)];
      const { mode = null, mediatype } = native.inspect(name, bytes);
      expect([name, codes.inspect(name, bytes)]).toEqual([name, { mediatype, mode }]);
    }
  });

  it('reads texts and documents as the addon does', async () => {
    let read = 0;
    for (const file of withMode('text')) {
      const bytes = readFileSync(file);
      const { mediatype } = native.inspect(path.basename(file), bytes);
      const own = outcome(() => codes.textFile(bytes, mediatype));
      const wanted = await native
        .textFileContent(file, mediatype, { granular: true, keepText: false, compat: '0.9.7' })
        .then(
          ({ unit, characters, simprints, offsets, sizes, metadata, pdfs }) =>
            pdfs === undefined ? { unit, characters, simprints, offsets, sizes, metadata } : 'NO_DECODER',
          codeOf,
        );
      expect([file, own]).toEqual([file, wanted]);
      if (typeof own !== 'string') read += 1;
    }
    expect(read).toBeGreaterThan(20);
  });

  it('reads pictures as the addon does, or refuses them', async () => {
    let read = 0;
    for (const file of withMode('image')) {
      const bytes = readFileSync(file);
      const { mediatype } = native.inspect('', bytes);
      const own = outcome(() => codes.pictureFile(bytes));
      const wanted = await native
        .imageContent(file, '0.9.7', 64, false)
        .then(({ unit, width, height, metadata }) => ({ unit, width, height, metadata }), codeOf);
      if (AT_THE_SERVER.has(mediatype)) expect([file, own]).toEqual([file, 'NO_DECODER']);
      else if (own !== 'NO_DECODER' && own !== 'UNSUPPORTED') expect([file, own]).toEqual([file, wanted]);
      if (typeof own !== 'string') read += 1;
    }
    expect(read).toBeGreaterThan(25);
  });

  it.skipIf(jpegProblem !== undefined)(
    'decodes damaged JPEG files as the addon does, or refuses them',
    async () => {
      const folder = await mkdtemp(path.join(tmpdir(), 'isccd-jpeg-'));
      onTestFinished(() => rm(folder, { recursive: true, force: true }));
      const sources = files.filter(
        (file) => file.endsWith('.jpg') && statSync(file).size < DAMAGED_BYTES_MAX,
      );
      const outcomes = { coded: 0, refused: 0 };
      for (const [at, source] of sources.entries()) {
        for (let seed = 0; seed < 6; seed++) {
          const bytes = damaged(readFileSync(source), 6 * at + seed);
          const file = path.join(folder, 'damaged.jpg');
          await writeFile(file, bytes);
          const own = outcome(() => codes.pictureFile(bytes).unit);
          const wanted = await native.imageContent(file, '0.9.7', 64, false).then(({ unit }) => unit, codeOf);
          // Damage may lead to sums that SIMD computes in another way: these files are left to the service.
          if (own !== 'NO_DECODER') expect([source, seed, own]).toEqual([source, seed, wanted]);
          outcomes[own.startsWith('ISCC:') ? 'coded' : 'refused'] += 1;
        }
      }
      expect(outcomes.coded).toBeGreaterThan(50);
      expect(outcomes.refused).toBeGreaterThan(10);
    },
  );

  it('names the field and the rule of invalid arguments', () => {
    const invalid = (work: () => unknown, message: RegExp) =>
      expect(work).toThrow(
        expect.objectContaining({ code: 'INVALID_ARGUMENT', message: expect.stringMatching(message) }),
      );
    invalid(() => codes.textCode('a\ud800', 64), /^text: lone surrogate at position 1/);
    invalid(() => codes.textCode(Uint8Array.of(97, 0xff), 64), /^text: not UTF-8 from byte 1/);
    invalid(() => codes.textCode('a', 65), /65/);
    invalid(() => codes.metaCode({ name: '' }), /name/);
    invalid(() => codes.compare('x', 'y'), /^first code/);
    invalid(() => codes.sumHasher().finish({ bits: 7 }), /7/);
  });

  it('works after a trap, and ends what the trap may have damaged', async () => {
    const { Engine } = await import('../../dist/wasm/engine.js');
    const engine = new Engine(await Reflect.get(globalThis, 'WebAssembly').compile(readFileSync(WASM)));
    const { SumHasher } = await import('../../dist/wasm/sum-hasher.js');
    const hasher = new SumHasher(engine);
    // No hasher is at the end of the memory.
    expect(() => engine.guarded((exports) => exports.hasher_update(0xffff_fff0, 1))).toThrow(
      expect.objectContaining({ code: 'INTERNAL' }),
    );
    expect(() => hasher.update(Uint8Array.of(1))).toThrow(expect.objectContaining({ code: 'INVALID_STATE' }));
    hasher.drop();
    expect(engine.call({ call: 'textClean' }, Buffer.from(' a '))).toBe('a');
  });
});

/** A few bytes are changed, or the end is cut off. */
function damaged(file: Buffer, seed: number): Buffer {
  let state = seed + 1;
  const random = (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state >>> 8) % below;
  };
  const bytes = Buffer.from(file);
  if (seed % 3 === 0) return bytes.subarray(0, 200 + random(bytes.length));
  for (let count = 1 + random(3); count > 0; count--) bytes[20 + random(bytes.length - 20)] = random(256);
  return bytes;
}

function outcome<T>(work: () => T): T | string {
  try {
    return work();
  } catch (error) {
    return codeOf(error);
  }
}

function codeOf(error: unknown): string {
  return (error as { code: string }).code;
}
