/** The places of the items of HEIF and AVIF files, for a writer that counts places that the file does not have. */
import { open } from 'node:fs/promises';
import { FileError } from './file-error.js';

/** Real files have their places in the first kilobytes. For others, the limits of the writer hold. */
const SEARCHED_BYTES = 1024 * 1024;
const NAME = 'iloc';
/** Offsets from the name: version, and two bytes with four numbers of bytes. */
const VERSION_AT = 4;
const SIZES_AT = 8;
const NAME_AND_SIZES_BYTES = 10;

/**
 * Refuses a file whose places have no bytes: the writer would read as many of them as a few bytes announce.
 *
 * @throws {FileError}
 */
export async function refusePlacesWithoutBytes(path: string): Promise<void> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(SEARCHED_BYTES), 0, SEARCHED_BYTES, 0);
    const at = buffer.subarray(0, bytesRead).indexOf(NAME, 0, 'latin1');
    if (at < 0 || at + NAME_AND_SIZES_BYTES > bytesRead) return;
    const [places = 0, base = 0] = buffer.subarray(at + SIZES_AT);
    // Only later versions have an index with each place.
    const index = buffer[at + VERSION_AT] === 0 ? 0 : base & 15;
    if (places === 0 && index === 0)
      throw new FileError('FILE_DAMAGED', 'the places of the items have no bytes');
  } finally {
    await file.close();
  }
}
