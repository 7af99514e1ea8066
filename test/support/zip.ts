/** ZIP archives for fixtures that are made by the tests. */
import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib';

export type ZipEntry = readonly [name: string, content: Uint8Array | string];

const LOCAL = 'PK\x03\x04';
const CENTRAL = 'PK\x01\x02';
const END = 'PK\x05\x06';
const DEFLATED = 8;
/** Larger counts need ZIP64; readers go by the directory's length. */
const COUNT_MAX = 0xffff;

/** An archive of these entries. `mimetype` is stored, as OpenDocument and EPUB require; the others are deflated. */
export function zip(entries: readonly ZipEntry[]): Uint8Array<ArrayBuffer> {
  const locals: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of entries) {
    const raw = Buffer.from(content);
    const method = name === 'mimetype' ? 0 : DEFLATED;
    const packed = method === DEFLATED ? deflateRawSync(raw, { level: 1 }) : raw;
    const title = Buffer.from(name);
    const facts = Buffer.alloc(26);
    for (const [at, value] of [20, 0, method, 0, 0].entries()) facts.writeUInt16LE(value, at * 2);
    for (const [at, value] of [crc32(raw), packed.length, raw.length].entries())
      facts.writeUInt32LE(value, 10 + at * 4);
    facts.writeUInt16LE(title.length, 22);
    locals.push(Buffer.concat([Buffer.from(LOCAL), facts, title, packed]));
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(offset, 10);
    central.push(Buffer.concat([Buffer.from(CENTRAL), Buffer.from([20, 0]), facts, tail, title]));
    offset += (locals.at(-1) as Buffer).length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(18);
  const count = Math.min(entries.length, COUNT_MAX);
  for (const at of [4, 6]) end.writeUInt16LE(count, at);
  for (const [at, value] of [directory.length, offset].entries()) end.writeUInt32LE(value, 8 + at * 4);
  return new Uint8Array(Buffer.concat([...locals, directory, Buffer.from(END), end]));
}

/** The entries of an archive without encryption. */
export function unzip(archive: Uint8Array): [name: string, content: Buffer][] {
  const bytes = Buffer.from(archive);
  const entries: [string, Buffer][] = [];
  let at = bytes.readUInt32LE(bytes.lastIndexOf(END, undefined, 'latin1') + 16);
  while (bytes.toString('latin1', at, at + 4) === CENTRAL) {
    const u16 = (offset: number) => bytes.readUInt16LE(offset);
    const local = bytes.readUInt32LE(at + 42);
    const start = local + 30 + u16(local + 26) + u16(local + 28);
    const packed = bytes.subarray(start, start + bytes.readUInt32LE(at + 20));
    const name = bytes.toString('utf8', at + 46, at + 46 + u16(at + 28));
    entries.push([name, u16(at + 10) === DEFLATED ? inflateRawSync(packed) : packed]);
    at += 46 + u16(at + 28) + u16(at + 30) + u16(at + 32);
  }
  return entries;
}
