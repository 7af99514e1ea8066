/** The result of a file, as the codes service makes it, of bytes that stay in the page. */

import { limitedFields, titled, UNIT_BITS } from '../../iscc/file-meta.js';
import { uploadName } from '../../iscc/filename.js';
import type { Codes, SumHasher } from '../../wasm/index.js';
import type { Feature, Result } from '../codes-client.js';
import type { PageText } from '../language.js';
import type { Coded, Order } from './messages.js';

/** As many bytes as the module and its copy of them fit into the memory of a page. */
const BYTES_MAX = 256 * 1024 * 1024;
/** The type of a file is known by its first bytes. */
const HEAD_BYTES = 16 * 1024;
/** Types of text that the service reads with other programs, or not at all. */
const AT_THE_SERVER: ReadonlySet<string> = new Set(['application/pdf', 'application/postscript']);
/** Begins the box of a manifest store: the type of the box and the first bytes of its kind. */
const CREDENTIALS = new TextEncoder().encode('jumdc2pa');

/** Why the page does not code a file. */
export class NeedsServer extends Error {
  readonly text: PageText;
  readonly values: readonly string[];

  constructor(text: PageText, ...values: readonly string[]) {
    super(text);
    this.text = text;
    this.values = values;
  }
}

/** @throws {NeedsServer} or what the module throws */
export async function codeOf(codes: Codes, order: Order, onRead: (share: number) => void): Promise<Coded> {
  const { file, granular } = order;
  const filename = uploadName(file.name);
  const { mediatype, mode } = codes.inspect(filename, await firstBytes(file));
  if ((mode !== 'image' && mode !== 'text') || AT_THE_SERVER.has(mediatype))
    throw new NeedsServer('this page does not read files of the type {0}', mediatype);
  if (file.size > BYTES_MAX) throw new NeedsServer('the file is too large for this page');
  const { bytes, sum } = await read(codes, file, onRead);
  const content = mode === 'image' ? picture(codes, bytes) : text(codes, bytes, mediatype, granular);
  const { language, ...embedded } = content.metadata;
  const { unit: meta, metahash, metadata } = await titled(codes, filename, embedded);
  const { units: sums, datahash, filesize } = sum.finish({ bits: UNIT_BITS });
  const units = [meta, content.unit, ...sums];
  const result: Result = {
    iscc: codes.isccCode(units, { wide: true }),
    ...metadata,
    ...limitedFields({ ...content.facts, language }),
    mode,
    filename,
    filesize,
    mediatype,
    ...(content.features && { features: content.features }),
    units,
    metahash,
    datahash,
  };
  return { result, hasCredentials: contains(bytes, CREDENTIALS) };
}

async function firstBytes(file: File): Promise<Uint8Array> {
  return new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer());
}

/** All bytes, and their sum, which is computed while they arrive. */
async function read(codes: Codes, file: File, onRead: (share: number) => void) {
  const bytes = new Uint8Array(file.size);
  const sum: SumHasher = codes.sumHasher();
  const reader = file.stream().getReader();
  let at = 0;
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    bytes.set(piece.value, at);
    sum.update(piece.value);
    at += piece.value.length;
    onRead(at / file.size);
  }
  return { bytes, sum };
}

interface Content {
  readonly unit: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly facts: Readonly<Record<string, number>>;
  readonly features?: readonly Feature[];
}

function picture(codes: Codes, bytes: Uint8Array): Content {
  const { unit, metadata, width, height } = codes.pictureFile(bytes);
  return { unit, metadata, facts: { width, height } };
}

function text(codes: Codes, bytes: Uint8Array, mediatype: string, granular: boolean): Content {
  const read = codes.textFile(bytes, mediatype);
  const { unit, metadata, characters, simprints, offsets, sizes } = read;
  const kind = { maintype: 'content', subtype: 'text', version: 0, byte_offsets: true } as const;
  const features = granular && simprints.length > 0 ? [{ ...kind, simprints, offsets, sizes }] : undefined;
  return { unit, metadata, facts: { characters }, ...(features && { features }) };
}

function contains(bytes: Uint8Array, wanted: Uint8Array): boolean {
  const [first = 0] = wanted;
  for (let at = bytes.indexOf(first); at >= 0; at = bytes.indexOf(first, at + 1))
    if (wanted.every((byte, index) => bytes[at + index] === byte)) return true;
  return false;
}
