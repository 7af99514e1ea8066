/** Content codings (RFC 9110, 8.4 and 12.5.3): which one to use, and encoding off the event loop. */
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { weights } from '../head/accept.js';
import type { Reply } from '../routing/route.js';

export type Encoding = 'zstd' | 'br' | 'gzip';

type Encode = (bytes: string | Uint8Array) => Promise<Buffer>;

/** Below this size, headers and calls cost more than the bytes saved. */
const BYTES_MIN = 1024;

/** Text formats, and modules for browsers. Images, audio, video and archives are compressed already. */
const COMPRESSIBLE =
  /^(?:text\/|application\/(?:json|yaml|javascript|wasm|xml|[\w.-]+\+(?:json|xml))|image\/svg\+xml)/i;

/** Quality 4 takes about as long as gzip and compresses better; the default of 11 is 50 times slower. */
const BROTLI = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 4 } };

/** In order of preference. All run on Node's thread pool. */
const ENCODERS: ReadonlyMap<Encoding, Encode> = new Map([
  ...zstd(),
  ['br', (bytes: string | Uint8Array) => promisify(zlib.brotliCompress)(bytes, BROTLI)],
  ['gzip', (bytes: string | Uint8Array) => promisify(zlib.gzip)(bytes)],
]);

/** Node.js 22.15 and later have zstd. */
function zstd(): [Encoding, Encode][] {
  const { zstdCompress } = zlib as { zstdCompress?: typeof zlib.gzip };
  if (zstdCompress === undefined) return [];
  const encode = promisify(zstdCompress as (bytes: zlib.InputType, done: zlib.CompressCallback) => void);
  return [['zstd', encode]];
}

/**
 * Whether a response may be encoded. Responses with `no-store` never are: pages with secrets that also repeat request
 * data would leak the secrets by their length (BREACH).
 */
export function isCompressible({ headers = {} }: Reply, contentType: string, bytes: number): boolean {
  if (bytes < BYTES_MIN || !COMPRESSIBLE.test(contentType)) return false;
  return !/\bno-(?:store|transform)\b/.test(String(headers['Cache-Control'] ?? ''));
}

/** The best encoding for an Accept-Encoding header; `undefined` for none. */
export function acceptedEncoding(header: string | undefined): Encoding | undefined {
  if (header === undefined) return undefined;
  const given = weights(header);
  let best: Encoding | undefined;
  let bestWeight = 0;
  for (const encoding of ENCODERS.keys()) {
    const weight = given.get(encoding) ?? given.get('*') ?? 0;
    if (weight > bestWeight) [best, bestWeight] = [encoding, weight];
  }
  return best;
}

/** Compresses on Node's thread pool. */
export function encode(encoding: Encoding, bytes: string | Uint8Array): Promise<Buffer> {
  return (ENCODERS.get(encoding) as Encode)(bytes);
}

/** The headers of a response that depends on Accept-Encoding. */
export function encodingHeaders(encoding: Encoding | undefined): string[] {
  const vary = ['Vary', 'Accept-Encoding'];
  return encoding === undefined ? vary : [...vary, 'Content-Encoding', encoding];
}

/** The tag of an encoded form: weak, because its bytes differ from those of the original. */
export function weakTag(tag: string): string {
  return tag.startsWith('W/') ? tag : `W/${tag}`;
}
