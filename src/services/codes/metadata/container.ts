/** What the writers of containers (boxes, pages, blocks, tags) share. */
import { createReadStream, createWriteStream } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';

/** The structure of the file is damaged, or not supported by its writer. */
export class ContainerUnfit extends Error {
  override readonly name = 'ContainerUnfit';
}

/**
 * Reads bytes from a position of the file.
 *
 * @throws {ContainerUnfit} if the file ends before
 */
export async function readBytes(handle: FileHandle, at: number, bytes: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(bytes), 0, bytes, at);
  if (bytesRead < bytes) throw new ContainerUnfit('the file ends inside its structure');
  return buffer;
}

/** Bytes of a file, up to its end if there is no `to`. Empty if `to` is not after `from`. */
export interface FileRange {
  readonly from: number;
  readonly to?: number;
}

/** Writes `target` from new bytes and ranges of `path`, in order. Ranges are streamed. */
export async function writeCopy(
  path: string,
  target: string,
  parts: Iterable<Buffer | FileRange>,
): Promise<void> {
  await pipeline(async function* () {
    for (const part of parts) {
      if (Buffer.isBuffer(part)) {
        yield part;
        continue;
      }
      const { from, to = Number.POSITIVE_INFINITY } = part;
      if (to > from) yield* createReadStream(path, { start: from, end: to - 1 });
    }
  }, createWriteStream(target));
}
