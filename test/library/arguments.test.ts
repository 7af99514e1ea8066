/** What the functions of the package say to wrong arguments. The addon's own rules are tested in Rust. */
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  audioCode,
  codeFile,
  compare,
  composeCode,
  dataCode,
  decodeCode,
  decompose,
  decomposeCode,
  encodeUnit,
  explain,
  imageCode,
  instanceCode,
  isccCode,
  metaCode,
  mixedCode,
  simprints,
  textClean,
  textCode,
  textCollapse,
  videoCode,
} from '../../src/library/index.js';

const TEXT = path.resolve(import.meta.dirname, '../fixtures/codes/files/short_a.txt');

/** Calls a function with arguments that TypeScript rejects. */
// biome-ignore lint/suspicious/noExplicitAny: the types of its parameters are what the test breaks
function call(one: (...args: any[]) => unknown, ...args: readonly unknown[]): () => Promise<unknown> {
  return async () => one(...args);
}

const frame = new Array(380).fill(1);
const UNITS = ['GAARLDA46RGP3AQI', 'IAATLBPYL7B7XTAN'];
const circular: Record<string, unknown> = {};
circular.self = circular;

const CASES: readonly (readonly [calls: () => Promise<unknown>, message: string])[] = [
  [call(audioCode, ['a']), 'fingerprint[0]: must be an integer from -2147483648 to 4294967295, not "a"'],
  [call(audioCode, [1, Number.NaN]), 'fingerprint[1]: must be an integer'],
  [call(audioCode, [2 ** 40]), 'fingerprint[0]: must be an integer'],
  [call(audioCode, [1.5]), 'fingerprint[0]: must be an integer'],
  [call(audioCode, new Float32Array(2)), 'not an object of type Float32Array with 2 items'],
  [call(audioCode, undefined), 'fingerprint: must be a list or typed array of integers, not undefined'],
  [call(audioCode, 'AQAA'), 'fingerprint: must be a list or typed array of integers, not "AQAA"'],
  [call(videoCode, [frame, new Array(380).fill('x')]), 'frames[1][0]: must be an integer'],
  [call(videoCode, [new Array(380)]), 'frames[0][0]: must be an integer'],
  [call(videoCode, [frame.slice(1)]), 'frames[0]: a frame signature has 380 values, not 379'],
  [call(videoCode, [[2 ** 31, ...frame.slice(1)]]), 'frames[0][0]: must be an integer'],
  [call(videoCode, frame), 'frames[0]: must be a list of 380 integers, not 1'],
  [call(videoCode, null), 'frames: must be an Int32Array or an array of frame signatures, not null'],
  [call(videoCode, []), 'frames: a video needs at least one frame signature'],
  [
    call(imageCode, new Uint8Array(1023)),
    'pixels: must be 1024 grey values, not an object of type Uint8Array',
  ],
  [call(imageCode, new Array(1024).fill(256)), 'pixels[0]: must be an integer from 0 to 255, not 256'],
  [call(imageCode, new Float32Array(1024)), 'pixels: must be 1024 grey values'],
  [call(textCode, 'x', 64.5), 'bits: must be a multiple of 32 from 32 to 256, not 64.5'],
  [call(textCode, 'x', '64'), 'bits: must be a multiple of 32 from 32 to 256, not "64"'],
  [call(textCode, 5), 'text: must be a string or its UTF-8 bytes in a Uint8Array, not 5'],
  [call(textClean, null), 'text: must be a string'],
  [call(textCollapse, []), 'text: must be a string'],
  [call(simprints, new ArrayBuffer(1)), 'text: must be a string'],
  [call(metaCode, undefined), 'input: must be an object with a name, not undefined'],
  [call(metaCode, 'Title'), 'input: must be an object with a name, not "Title"'],
  [call(metaCode, {}), 'name: must be a string, not undefined'],
  [call(metaCode, { name: 5 }), 'name: must be a string, not 5'],
  [call(metaCode, { name: 'x', description: null }), 'description: must be a string, or left out, not null'],
  [call(metaCode, { name: 'x', meta: {} }), 'meta: must be a string, or left out, not an object'],
  [call(metaCode, { name: 'x', metaJson: [] }), 'metaJson: must be a string, or left out, not an array'],
  [call(metaCode, { name: 'x' }, 65), 'bits: must be a multiple of 32'],
  [call(dataCode, 'str'), 'not "str"; Buffer.from(text) makes bytes of a text'],
  [
    call(instanceCode, [1, 2]),
    'bytes: must be a Uint8Array, an ArrayBuffer or a Blob, not an array of 2 items',
  ],
  [call(isccCode, undefined), 'units: must be an array of codes, not undefined'],
  [call(isccCode, UNITS.join('')), 'units: must be an array of codes'],
  [call(isccCode, [UNITS.join('\n')]), 'units[0]: must be a code'],
  [call(isccCode, UNITS, null), 'options: must be an object, not null'],
  [call(isccCode, UNITS, { wide: 1 }), 'wide: must be true or false, or left out, not 1'],
  [call(composeCode, UNITS, 'yes'), 'wide: must be true or false'],
  [call(mixedCode, [5, 6]), 'codes[0]: must be a code, not 5'],
  [call(decompose), 'code: must be a string, not undefined'],
  [call(decomposeCode, {}), 'code: must be a string, not an object'],
  [call(decodeCode, 5), 'code: must be a string, not 5'],
  [call(explain, Buffer.from('x')), 'code: must be a string, not an object of type Uint8Array with 1 items'],
  [call(compare, UNITS[0]), 'second code: must be a string, not undefined'],
  [call(compare, () => '', UNITS[0]), 'first code: must be a string, not a function'],
  [call(encodeUnit, 0.5, 0, 0, 64, new Uint8Array(32)), 'main: must be an integer from 0 to 15, not 0.5'],
  [call(encodeUnit, 0, 0, 0, 64.5, new Uint8Array(32)), 'bits: must be an integer'],
  [call(encodeUnit, 0, 0, 0, 64, 'digest'), 'digest: must be a Uint8Array, not "digest"'],
  [call(codeFile, TEXT, null), 'options: must be an object, not null'],
  [call(codeFile, TEXT, { bits: 65 }), 'bits: must be a multiple of 32 from 64 to 256, not 65'],
  [call(codeFile, TEXT, { bits: 32 }), 'bits: must be a multiple of 32 from 64 to 256, not 32'],
  [call(codeFile, TEXT, { name: 5 }), 'name: must be a string, or left out, not 5'],
  [call(codeFile, TEXT, { name: '\ud800' }), 'name: must not contain lone surrogates'],
  [call(codeFile, TEXT, { description: '\udfff' }), 'description: must not contain lone surrogates'],
  [call(codeFile, TEXT, { meta: 'not json' }), 'meta: must be a JSON object'],
  [call(codeFile, TEXT, { meta: '[1]' }), 'pass an object, its JSON or a base64 Data-URL'],
  [call(codeFile, TEXT, { meta: 'data:application/json,{}' }), 'meta: must be a Data-URL in Base64'],
  [call(codeFile, TEXT, { meta: 5 }), 'meta: must be a JSON object, its text or a base64 Data-URL, not 5'],
  [call(codeFile, TEXT, { meta: [1] }), 'meta: must be a JSON object'],
  [call(codeFile, TEXT, { meta: new Map() }), 'not an object of type Map'],
  [call(codeFile, TEXT, { meta: circular }), 'meta: has no JSON'],
  [call(codeFile, TEXT, { meta: { text: 'x'.repeat(200_000) } }), 'meta: '],
  [call(codeFile, TEXT, { filename: '' }), 'filename: must be a string that is not empty'],
  [call(codeFile, TEXT, { filename: '???' }), 'filename: must be a name with characters'],
  [call(codeFile, '/tmp/???'), 'pass the option filename'],
  [call(codeFile, TEXT, { units: 'yes' }), 'units: must be true or false, or left out, not "yes"'],
  [call(codeFile, TEXT, { signal: {} }), 'signal: must be an AbortSignal, or left out, not an object'],
  [call(codeFile, ''), 'file: must be a path or a file URL, not ""'],
  [call(codeFile, undefined), 'file: must be a path or a file URL, not undefined'],
  [call(codeFile, Buffer.from('x')), 'file: must be a path or a file URL'],
  [call(codeFile, new URL('https://example.com/a.jpg')), 'file: must be a path or a file URL'],
];

it.each(CASES.map(([calls, message]) => [message, calls] as const))(
  'an argument is rejected with INVALID_ARGUMENT: %s',
  async (message, calls) => {
    await expect(calls()).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringContaining(message),
    });
  },
);

it('functions that return a promise reject, and do not throw', () => {
  const wrong = null as never;
  const promises = [
    ...[metaCode, textCode, audioCode, videoCode, dataCode, instanceCode].map((one) => one(wrong)),
    ...[simprints, textClean, textCollapse, codeFile].map((one) => one(wrong)),
  ];
  return Promise.all(promises.map((one) => expect(one).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })));
});

describe('equal arguments of other types', () => {
  it('of an Audio-Code: signed or unsigned, in any array', async () => {
    const signed = [-1, 684003877, -(2 ** 31)];
    const unsigned = [2 ** 32 - 1, 684003877, 2 ** 31];
    const given = [signed, unsigned, Int32Array.from(signed), Uint32Array.from(unsigned)];
    const codes = await Promise.all(given.map((one) => audioCode(one)));
    expect(new Set(codes).size).toBe(1);
  });

  it('of a Video-Code: lists, typed arrays, or all values in one', async () => {
    const frames = [frame, frame.map((_, at) => at % 3)];
    const given = [frames, frames.map((one) => Uint8Array.from(one)), Int32Array.from(frames.flat())];
    const codes = await Promise.all(given.map((one) => videoCode(one)));
    expect(new Set(codes).size).toBe(1);
    expect(codes[0]).not.toBe(await videoCode([frame]));
  });

  it('of an Image-Code: a list or bytes', () => {
    const pixels = Array.from({ length: 1024 }, (_, at) => (at * at) % 251);
    const given = [pixels, Uint8Array.from(pixels), Uint8ClampedArray.from(pixels), Int32Array.from(pixels)];
    const codes = given.map((one) => imageCode(one));
    expect(new Set(codes).size).toBe(1);
  });

  it.each([
    ['dataCode', dataCode],
    ['instanceCode', instanceCode],
  ])('of %s: bytes, a view, an ArrayBuffer or a Blob', async (_, unit) => {
    const bytes = new TextEncoder().encode('The bytes of a file.');
    const padded = Uint8Array.of(0, ...bytes, 0).subarray(1, -1);
    const given = [bytes, padded, Buffer.from(bytes), bytes.buffer, new Blob([bytes])];
    const codes = await Promise.all(given.map((one) => unit(one)));
    expect(new Set(codes).size).toBe(1);
  });
});
