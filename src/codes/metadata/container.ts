/** What the writers of containers (boxes, pages, blocks, tags) share. */
import type { FileHandle } from 'node:fs/promises';

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
