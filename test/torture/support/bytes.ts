/** Building blocks of binary files. */
import { crc32, deflateSync } from 'node:zlib';

export const latin1 = (text: string) => Buffer.from(text, 'latin1');
export const join = (...parts: readonly (Uint8Array | string)[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? latin1(part) : part)));
export const repeat = (part: Uint8Array | string, times: number): Buffer => {
  const bytes = typeof part === 'string' ? latin1(part) : part;
  return Buffer.alloc(bytes.length * times, bytes);
};

/** Unsigned integers, big-endian. */
export const be16 = (...values: readonly number[]) =>
  integers(values, 2, (bytes, value, at) => bytes.writeUInt16BE(value, at));
export const be32 = (...values: readonly number[]) =>
  integers(values, 4, (bytes, value, at) => bytes.writeUInt32BE(value, at));
/** Unsigned integers, little-endian. */
export const le16 = (...values: readonly number[]) =>
  integers(values, 2, (bytes, value, at) => bytes.writeUInt16LE(value, at));
export const le32 = (...values: readonly number[]) =>
  integers(values, 4, (bytes, value, at) => bytes.writeUInt32LE(value, at));

function integers(
  values: readonly number[],
  width: number,
  write: (bytes: Buffer, value: number, at: number) => void,
): Buffer {
  const bytes = Buffer.alloc(values.length * width);
  for (const [index, value] of values.entries()) write(bytes, value, index * width);
  return bytes;
}

/** A box of ISO base media files. */
export const box = (type: string, content: Uint8Array) => join(be32(8 + content.length), type, content);

export const pngChunk = (type: string, data: Uint8Array) =>
  join(be32(data.length), type, data, be32(crc32(join(type, data))));

/** A PNG of zeros, one byte or less per sample. */
export function png(
  width: number,
  height: number,
  bits: number,
  colour: 0 | 2,
  ...more: readonly Buffer[]
): Buffer {
  const rowBytes = 1 + Math.ceil((width * bits * (colour === 0 ? 1 : 3)) / 8);
  const header = join(be32(width, height), Uint8Array.of(bits, colour, 0, 0, 0));
  return pngWith(
    header,
    deflateSync(Buffer.alloc(Math.min(rowBytes * height, 400_000_000)), { level: 9 }),
    ...more,
  );
}

export function pngWith(header: Uint8Array, data: Uint8Array, ...more: readonly Buffer[]): Buffer {
  const chunks = [
    pngChunk('IHDR', header),
    ...more,
    pngChunk('IDAT', data),
    pngChunk('IEND', Buffer.alloc(0)),
  ];
  return join('\x89PNG\r\n\x1a\n', ...chunks);
}

/** A PDF with these objects; the first is the catalogue. */
export function pdf(...objects: readonly (Uint8Array | string)[]): Buffer {
  const parts: Buffer[] = [latin1('%PDF-1.7\n')];
  let length = parts[0]?.length ?? 0;
  const offsets: number[] = [];
  for (const [index, object] of objects.entries()) {
    const part = join(`${index + 1} 0 obj\n`, object, '\nendobj\n');
    offsets.push(length);
    length += part.length;
    parts.push(part);
  }
  const entries = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const size = objects.length + 1;
  const trailer = `trailer<</Size ${size}/Root 1 0 R>>\nstartxref\n${length}\n%%EOF`;
  return join(...parts, `xref\n0 ${size}\n0000000000 65535 f \n${entries}${trailer}`);
}

export const pdfStream = (data: Uint8Array, dictionary = '') =>
  join(`<</Length ${data.length}${dictionary}>>stream\n`, data, '\nendstream');
