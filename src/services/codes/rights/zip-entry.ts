/** Reads one entry of a ZIP archive by its name. */
import { type FileHandle, open } from 'node:fs/promises';
import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';

const END_SIGNATURE = Buffer.from('PK\x05\x06', 'latin1');
const ENTRY_SIGNATURE = 0x02014b50;
const LOCAL_SIGNATURE = 0x04034b50;
const END_BYTES = 22;
const ENTRY_BYTES = 46;
const LOCAL_BYTES = 30;
const COMMENT_BYTES_MAX = 0xffff;
const DIRECTORY_BYTES_MAX = 16 * 1024 * 1024;
const CONTENT_BYTES_MAX = 4 * 1024 * 1024;
const STORED = 0;
const DEFLATED = 8;

interface Entry {
  readonly method: number;
  readonly bytes: number;
  readonly localAt: number;
}

/** @throws if the archive is damaged, or the entry is missing, encrypted or larger than 4 MiB */
export async function readZipEntry(path: string, name: string): Promise<Buffer> {
  const handle = await open(path);
  try {
    const entry = findEntry(await directoryOf(handle), name);
    if (entry.bytes > CONTENT_BYTES_MAX) throw new Error(`${name} is too large`);
    const local = await read(handle, entry.localAt, LOCAL_BYTES);
    if (local.readUInt32LE(0) !== LOCAL_SIGNATURE) throw new Error('the archive is damaged');
    const dataAt = entry.localAt + LOCAL_BYTES + local.readUInt16LE(26) + local.readUInt16LE(28);
    const bytes = await read(handle, dataAt, entry.bytes);
    if (entry.method === STORED) return bytes;
    if (entry.method !== DEFLATED) throw new Error(`${name} has an unknown compression`);
    return await promisify(inflateRaw)(bytes, { maxOutputLength: CONTENT_BYTES_MAX });
  } finally {
    await handle.close();
  }
}

async function directoryOf(handle: FileHandle): Promise<Buffer> {
  const { size } = await handle.stat();
  const tailBytes = Math.min(size, END_BYTES + COMMENT_BYTES_MAX);
  const tail = await read(handle, size - tailBytes, tailBytes);
  const end = tail.lastIndexOf(END_SIGNATURE);
  if (end < 0 || end + END_BYTES > tail.length) throw new Error('the archive has no directory');
  const bytes = tail.readUInt32LE(end + 12);
  if (bytes > DIRECTORY_BYTES_MAX) throw new Error('the directory of the archive is too large');
  return read(handle, tail.readUInt32LE(end + 16), bytes);
}

function findEntry(directory: Buffer, name: string): Entry {
  for (let at = 0; at + ENTRY_BYTES <= directory.length; ) {
    if (directory.readUInt32LE(at) !== ENTRY_SIGNATURE) break;
    const nameAt = at + ENTRY_BYTES;
    const nameEnd = nameAt + directory.readUInt16LE(at + 28);
    if (directory.toString('utf8', nameAt, nameEnd) === name) {
      return {
        method: directory.readUInt16LE(at + 10),
        bytes: directory.readUInt32LE(at + 20),
        localAt: directory.readUInt32LE(at + 42),
      };
    }
    at = nameEnd + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
  }
  throw new Error(`the archive has no ${name}`);
}

async function read(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, position);
  if (bytesRead !== length) throw new Error('the archive is cut');
  return buffer;
}
