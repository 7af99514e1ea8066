/** Reads and writes elements of EBML (RFC 8794). */
import type { FileHandle } from 'node:fs/promises';
import { ContainerUnfit } from './container.js';

export interface Element {
  readonly id: number;
  readonly content: Buffer;
}

/** An element in a file. */
export interface Header {
  readonly id: number;
  readonly start: number;
  readonly dataStart: number;
  readonly end: number;
  readonly isUnknownSize: boolean;
}

/** Eight bytes whose value bits are all ones. */
export const UNKNOWN_SIZE = 0x01ff_ffff_ffff_ffffn;

const ID_MAX_BYTES = 4;
const SIZE_MAX_BYTES = 8;

/** @throws {ContainerUnfit} if the header is invalid, or the element ends after `limit` */
export async function readHeader(handle: FileHandle, start: number, limit: number): Promise<Header> {
  const wanted = Math.min(ID_MAX_BYTES + SIZE_MAX_BYTES, limit - start);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(wanted), 0, wanted, start);
  const header = parseHeader(buffer.subarray(0, bytesRead));
  const dataStart = start + header.bytes;
  const end = header.isUnknownSize ? limit : dataStart + header.size;
  if (end > limit) throw new ContainerUnfit('an element ends outside its parent');
  return { id: header.id, start, dataStart, end, isUnknownSize: header.isUnknownSize };
}

/** The elements in the content of an element. */
export function children(content: Buffer): Element[] {
  const elements: Element[] = [];
  for (let at = 0; at < content.length; ) {
    const { id, size, bytes, isUnknownSize } = parseHeader(content.subarray(at));
    const start = at + bytes;
    if (isUnknownSize || start + size > content.length)
      throw new ContainerUnfit('an element ends outside its parent');
    elements.push({ id, content: content.subarray(start, start + size) });
    at = start + size;
  }
  return elements;
}

/** An element with the shortest form of its size. */
export function elementBytes(id: number, content: Buffer): Buffer {
  return Buffer.concat([idBytes(id), sizeBytes(content.length), content]);
}

/** An unsigned integer of up to eight bytes. */
export function uintOf(content: Buffer): number {
  if (content.length > SIZE_MAX_BYTES) throw new ContainerUnfit('an integer has more than eight bytes');
  return content.reduce((value, byte) => value * 256 + byte, 0);
}

export function uintBytes(value: number): Buffer {
  const bytes = Buffer.alloc(SIZE_MAX_BYTES);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
}

function parseHeader(bytes: Buffer) {
  const idLength = lengthOf(bytes[0]);
  if (idLength > ID_MAX_BYTES || bytes.length <= idLength)
    throw new ContainerUnfit('an element has an invalid id');
  const sizeLength = lengthOf(bytes[idLength]);
  const end = idLength + sizeLength;
  if (sizeLength > SIZE_MAX_BYTES || bytes.length < end)
    throw new ContainerUnfit('an element has an invalid size');
  const marker = 1 << (SIZE_MAX_BYTES - sizeLength);
  const first = (bytes[idLength] ?? 0) & (marker - 1);
  const rest = bytes.subarray(idLength + 1, end);
  const isUnknownSize = first === marker - 1 && rest.every((byte) => byte === 0xff);
  const size = rest.reduce((value, byte) => value * 256 + byte, first);
  return { id: bytes.readUIntBE(0, idLength), size, bytes: end, isUnknownSize };
}

/** Number of bytes of a variable-size integer, from its first byte; 9 if it is invalid. */
function lengthOf(first = 0): number {
  return Math.clz32(first) - 24 + 1;
}

function idBytes(id: number): Buffer {
  const length = id > 0xff_ffff ? 4 : id > 0xffff ? 3 : id > 0xff ? 2 : 1;
  const bytes = Buffer.alloc(length);
  bytes.writeUIntBE(id, 0, length);
  return bytes;
}

function sizeBytes(size: number): Buffer {
  // All ones are reserved for an unknown size.
  let length = 1;
  while (size >= 2 ** (7 * length) - 1) length += 1;
  const bytes = Buffer.alloc(length);
  let rest = size;
  for (let index = length - 1; index >= 0; index -= 1) {
    bytes[index] = rest % 256;
    rest = Math.floor(rest / 256);
  }
  bytes[0] = (bytes[0] ?? 0) | (1 << (8 - length));
  return bytes;
}
