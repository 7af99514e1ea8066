/** `isccd selftest`: the conformance vectors of ISO 24138 on this machine, and what decodes files here. */
import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { decodeCode } from '../../iscc/codec.js';
import * as units from '../../library/units.js';
import { native } from '../../native.js';
import { machine, type Tool, tools } from '../input/machine.js';
import { painter } from '../terminal/colour.js';
import { CommandFailed } from '../terminal/failure.js';
import { printJson } from '../terminal/lines.js';

/** A test case of iscc-core, by function and title. */
interface Vector {
  readonly inputs: readonly unknown[];
  readonly outputs: unknown;
}

type Vectors = Readonly<Record<string, Readonly<Record<string, Vector>>>>;

interface FunctionReport {
  readonly function: string;
  readonly vectors: number;
  /** Titles of the vectors with another result. */
  readonly failed: readonly string[];
}

/** Prints a report. Fails if a vector has another result; missing tools are no failure. */
export async function selftest({ json }: { json?: boolean }): Promise<void> {
  const functions = await runVectors();
  const report = { machine: { ...machine(), vectors: 'iscc-core 1.5.0' }, functions, tools: await tools() };
  if (json) printJson(report);
  else print(report);
  const failed = functions.flatMap((one) => one.failed.map((title) => `${one.function}: ${title}`));
  if (failed.length > 0)
    throw new CommandFailed(`${failed.length} conformance vectors failed: ${failed.join(', ')}`);
}

async function runVectors(): Promise<FunctionReport[]> {
  const file = new URL('../conformance.json', import.meta.url);
  const vectors = JSON.parse(readFileSync(file, 'utf8')) as Vectors;
  return Promise.all(
    Object.entries(FUNCTIONS).map(async ([name, run]) => {
      const failed: string[] = [];
      const cases = Object.entries(vectors[name] ?? {});
      for (const [title, { inputs, outputs }] of cases) {
        const result = await Promise.resolve(run(inputs)).catch(() => undefined);
        if (!isDeepStrictEqual(result, outputs)) failed.push(title);
      }
      return { function: name, vectors: cases.length, failed };
    }),
  );
}

// biome-ignore lint/suspicious/noExplicitAny: the arguments of the vectors, as iscc-core's functions take them
type Inputs = readonly any[];

const bytesOf = (text: string) => Buffer.from(text.slice(text.indexOf(':') + 1), 'hex');

/** What iscc-core's functions return, by their names. */
const FUNCTIONS: Readonly<Record<string, (inputs: Inputs) => Promise<unknown> | unknown>> = {
  gen_meta_code_v0: async ([name, description, meta, bits]) => {
    const further = typeof meta === 'string' ? { meta } : { metaJson: JSON.stringify(meta) };
    return units.metaCode({ name, ...(description && { description }), ...(meta && further) }, bits);
  },
  gen_text_code_v0: async ([text, bits]) => units.textCode(text, bits),
  gen_image_code_v0: async ([pixels, bits]) => ({ iscc: units.imageCode(Uint8Array.from(pixels), bits) }),
  gen_audio_code_v0: async ([items, bits]) => ({ iscc: await units.audioCode(items, bits) }),
  gen_video_code_v0: async ([frames, bits]) => ({ iscc: await units.videoCode(frames, bits) }),
  gen_mixed_code_v0: async ([parts, bits]) => ({ iscc: units.mixedCode(parts, bits), parts }),
  gen_data_code_v0: async ([stream, bits]) => ({ iscc: await units.dataCode(bytesOf(stream), bits) }),
  gen_instance_code_v0: async ([stream, bits]) => {
    const bytes = bytesOf(stream);
    const digest = Buffer.from(decodeCode(await units.instanceCode(bytes, 256)).body).toString('hex');
    const iscc = await units.instanceCode(bytes, bits);
    return { iscc, datahash: `1e20${digest}`, filesize: bytes.length };
  },
  gen_iscc_code_v0: async ([codes]) => ({ iscc: units.isccCode(codes) }),
  encode_seq: async ([codes]) => `bytes:${native.encodeSeq(codes).toString('hex')}`,
  decode_seq: async ([seq]) => native.decodeIsccSeq(bytesOf(seq)).map(({ iscc }) => iscc),
};

interface Report {
  readonly machine: Readonly<Record<string, string>>;
  readonly functions: readonly FunctionReport[];
  readonly tools: readonly Tool[];
}

function print({ machine, functions, tools }: Report): void {
  const paint = painter(process.stdout);
  const row = (name: string, text: string) =>
    process.stdout.write(`${paint('dim', name.padEnd(22))}${text}\n`);
  for (const [name, value] of Object.entries(machine)) row(name, value);
  process.stdout.write('\n');
  for (const { function: name, vectors, failed } of functions) {
    const state = failed.length === 0 ? paint('green', 'ok') : paint('red', `${failed.length} failed`);
    row(name, `${vectors} vectors, ${state}`);
  }
  process.stdout.write('\n');
  for (const { tool, for: purpose, version: found } of tools)
    row(tool, `${found ?? paint('yellow', 'missing')} (${purpose})`);
}
