/** The public functions of the package: iscc-core's conformance vectors, and options recorded from iscc-sdk. */
import { readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  audioCode,
  type CodeFileOptions,
  CodesRefusal,
  codeFile,
  compare,
  dataCode,
  decodeCode,
  decompose,
  explain,
  imageCode,
  instanceCode,
  isccCode,
  isNativeError,
  metaCode,
  mixedCode,
  simprints,
  textCode,
  videoCode,
} from '../dist/library/index.js';
import { functionsOf, vectorsOf } from './support/vectors.js';

const FIXTURES = path.resolve(import.meta.dirname, 'fixtures/codes');
const json = (name: string) => JSON.parse(readFileSync(path.join(FIXTURES, name), 'utf8'));
const file = (name: string) => path.join(FIXTURES, 'files', name);

const library = {
  audioCode,
  dataCode,
  decodeCode,
  imageCode,
  instanceCode,
  isccCode,
  metaCode,
  mixedCode,
  textCode,
  videoCode,
};
const FUNCTIONS = functionsOf(library);
const vectors = vectorsOf(library);

describe('conformance vectors of iscc-core 1.5.0', () => {
  it('cover every function', () =>
    expect(vectors.map(([name]) => name).sort()).toEqual(Object.keys(FUNCTIONS).sort()));

  it.each(vectors)('%s', async (name, cases) => {
    for (const [title, { inputs, outputs }] of Object.entries(cases)) {
      expect([title, await FUNCTIONS[name]?.(inputs)]).toEqual([title, outputs]);
    }
  });
});

describe('codeFile', () => {
  interface Case {
    readonly file: string;
    readonly args: Readonly<Record<string, unknown>>;
    readonly result: Readonly<Record<string, unknown>>;
  }
  const NAMES: Readonly<Record<string, keyof CodeFileOptions>> = {
    extract_meta: 'extractMetadata',
    create_meta: 'createMeta',
    create_thumb: 'thumbnail',
    add_units: 'units',
    text_keep: 'text',
  };
  const cases = json('options_sdk_0_9_7.json').code_iscc as readonly Case[];

  it.each(cases.map((one) => [one.file, JSON.stringify(one.args), one] as const))(
    'of %s with %s is that of iscc-sdk',
    async (name, _, { args, result }) => {
      const options = Object.fromEntries(
        Object.entries(args).map(([key, value]) => [NAMES[key] ?? key, value]),
      );
      const {
        '@context': _context,
        $schema: _schema,
        generator,
        thumbnail,
        ...own
      } = await codeFile(file(name), options);
      expect(generator).toMatch(/^isccd - v/);
      expect(thumbnail !== undefined).toBe(options.thumbnail !== false && own.mode === 'image');
      // The reference counts characters where this program counts bytes, and writes empty values.
      const { features, ...rest } = result;
      const { features: ownFeatures, width: _w, height: _h, ...ownRest } = own;
      const { width, height, ...recorded } = Object.fromEntries(
        Object.entries(rest).filter(([, value]) => value !== ''),
      );
      expect(ownRest).toEqual(recorded);
      if (width !== undefined) expect(own).toMatchObject({ width, height });
      expect(ownFeatures?.map((one) => one.simprints) ?? []).toEqual(
        ((features ?? []) as { simprints: unknown }[]).map((one) => one.simprints),
      );
    },
  );

  it('takes a file URL and another file name', async () => {
    const { filename, name } = await codeFile(pathToFileURL(file('short_a.txt')), {
      filename: 'other-name.txt',
    });
    expect({ filename, name }).toEqual({ filename: 'other-name.txt', name: 'other name' });
  });

  it('says why a file has no code', async () => {
    const failure = (name: string, options?: CodeFileOptions) =>
      codeFile(file(name), options).catch((error: unknown) =>
        error instanceof CodesRefusal ? error.code : error,
      );
    expect(await failure('random_a.bin')).toBe('MEDIATYPE_UNSUPPORTED');
    expect(await failure('random_a.bin', { fallback: true })).toMatchObject({
      iscc: expect.stringMatching(/^ISCC:KUA/),
    });
    expect(await failure('random_a.bin', { fallback: true, wide: true })).toMatchObject({
      iscc: expect.stringMatching(/^ISCC:K4A/),
    });
    expect(await failure('corrupt_a.pdf')).toBe('FILE_DAMAGED');
    expect(await failure('missing.txt')).toMatchObject({ message: expect.stringContaining('missing.txt') });
  });

  it('waits in line, however many calls are pending', async () => {
    // More than the jobs that a server lets wait.
    const calls = 100 + 34 * os.availableParallelism();
    const results = await Promise.all(Array.from({ length: calls }, () => codeFile(file('short_a.txt'))));
    expect(new Set(results.map(({ iscc }) => iscc)).size).toBe(1);
    expect(results).toHaveLength(calls);
  });

  it('leaves the line when its signal is aborted', async () => {
    const others = Array.from({ length: 100 }, () => codeFile(file('short_a.txt')));
    let coded = 0;
    for (const other of others) other.then(() => (coded += 1));
    const abort = new AbortController();
    const waiting = Array.from({ length: 20 }, () => codeFile(file('short_a.txt'), abort));
    const settled = Promise.allSettled(waiting);
    abort.abort(new Error('stop'));
    expect(new Set((await settled).map((one) => 'reason' in one && one.reason.message))).toEqual(
      new Set(['stop']),
    );
    expect(coded).toBeLessThan(others.length);
    await Promise.all(others);
  });

  it('takes one signal for many calls without a warning', async () => {
    const warnings: string[] = [];
    const note = ({ name }: Error) => warnings.push(name);
    process.on('warning', note);
    onTestFinished(() => void process.off('warning', note));
    const { signal } = new AbortController();
    await Promise.all(Array.from({ length: 30 }, () => codeFile(file('short_a.txt'), { signal })));
    expect(warnings).toEqual([]);
  });

  it('stops when its signal is aborted', async () => {
    await expect(
      codeFile(file('short_a.txt'), { signal: AbortSignal.abort(new Error('stop')) }),
    ).rejects.toThrow('stop');
  });
});

describe('functions of codes', () => {
  const code = 'ISCC:KUABLDA46RGP3AQIGWC7QX6D7PGA2';

  it('decompose, explain and compare a code', () => {
    expect(decompose(code)).toEqual(['GAARLDA46RGP3AQI', 'IAATLBPYL7B7XTAN']);
    expect(explain(code).units.map(({ iscc_unit }) => iscc_unit)).toEqual(
      decompose(code).map((unit) => `ISCC:${unit}`),
    );
    expect(isccCode(decompose(code))).toBe(code);
    expect(compare(code, code).map(({ kind, similarity }) => [kind, similarity])).toEqual([
      ['DATA_NONE_V0', 1],
      ['INSTANCE_NONE_V0', 1],
    ]);
  });

  it('mark featureless Image-Codes', () => {
    const [plain, photo] = [
      imageCode(new Uint8Array(1024), 256),
      imageCode(
        Uint8Array.from({ length: 1024 }, (_, at) => (at * at) % 251),
        256,
      ),
    ];
    expect([plain, photo].map((unit) => explain(unit).units[0]?.featureless)).toEqual([true, undefined]);
    expect(compare(plain, plain)[0]).toMatchObject({ similarity: 1, featureless: true });
    expect(compare(photo, photo)[0]).not.toHaveProperty('featureless');
  });

  it('make simprints of a text', async () => {
    expect(await simprints('Some text')).toEqual([expect.stringMatching(/^[\w-]{43}$/)]);
  });

  it('reject what they cannot use', async () => {
    await expect(videoCode([[1, 2, 3]])).rejects.toThrow('a frame signature has 380 values, not 3');
    const error = await videoCode(new Int32Array(381)).catch((thrown: unknown) => thrown);
    expect(isNativeError(error, 'INVALID_ARGUMENT')).toBe(true);
    expect(() => mixedCode(['EAASL4F2WZY7KBXB'])).toThrow('at least 2');
    expect(() => explain('nonsense')).toThrow();
  });
});
