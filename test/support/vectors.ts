/** The conformance vectors of iscc-core 1.5.0, for any library with the functions of this package. */
import { readFileSync } from 'node:fs';
import path from 'node:path';

const FILE = path.resolve(import.meta.dirname, '../fixtures/codes/conformance_iscc_core_1_5_0.json');

export interface Vector {
  // biome-ignore lint/suspicious/noExplicitAny: arguments of Python functions
  readonly inputs: readonly any[];
  readonly outputs: Readonly<Record<string, unknown>>;
}

type Awaitable<T> = T | Promise<T>;

export interface Library {
  metaCode(
    input: { name: string; description?: string; meta?: string; metaJson?: string },
    bits: number,
  ): unknown;
  textCode(text: string, bits: number): unknown;
  imageCode(pixels: Uint8Array, bits: number): string;
  audioCode(fingerprint: readonly number[], bits: number): Awaitable<string>;
  videoCode(frames: readonly (readonly number[])[], bits: number): Awaitable<string>;
  mixedCode(codes: readonly string[], bits: number): string;
  dataCode(bytes: Uint8Array, bits: number): Awaitable<string>;
  instanceCode(bytes: Uint8Array, bits: number): Awaitable<string>;
  isccCode(units: readonly string[]): string;
  decodeCode(code: string): { readonly body: Uint8Array };
}

const stream = (text: string) => Buffer.from(text.replace(/^stream:/, ''), 'hex');

/** What each function returns for the arguments of a vector, with the reference's names. */
export function functionsOf(
  library: Library,
): Readonly<Record<string, (inputs: Vector['inputs']) => unknown>> {
  return {
    gen_meta_code_v0: ([name, description, meta, bits]) =>
      library.metaCode(
        {
          name,
          ...(description && { description }),
          ...(meta && (typeof meta === 'string' ? { meta } : { metaJson: JSON.stringify(meta) })),
        },
        bits,
      ),
    gen_text_code_v0: ([text, bits]) => library.textCode(text, bits),
    gen_image_code_v0: ([pixels, bits]) => ({ iscc: library.imageCode(Uint8Array.from(pixels), bits) }),
    gen_audio_code_v0: async ([fingerprint, bits]) => ({ iscc: await library.audioCode(fingerprint, bits) }),
    gen_video_code_v0: async ([frames, bits]) => ({ iscc: await library.videoCode(frames, bits) }),
    gen_mixed_code_v0: ([codes, bits]) => ({ iscc: library.mixedCode(codes, bits), parts: codes }),
    gen_data_code_v0: async ([bytes, bits]) => ({ iscc: await library.dataCode(stream(bytes), bits) }),
    gen_instance_code_v0: async ([bytes, bits]) => {
      const { body } = library.decodeCode(await library.instanceCode(stream(bytes), 256));
      const datahash = `1e20${Buffer.from(body).toString('hex')}`;
      return {
        iscc: await library.instanceCode(stream(bytes), bits),
        datahash,
        filesize: stream(bytes).length,
      };
    },
    gen_iscc_code_v0: ([units]) => ({ iscc: library.isccCode(units) }),
  };
}

/** The vectors by function. */
export function vectorsOf(library: Library): [name: string, cases: Readonly<Record<string, Vector>>][] {
  const all = JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, Record<string, Vector>>;
  const functions = functionsOf(library);
  return Object.entries(all).filter(([name]) => name in functions);
}
