/** The bytes of stored manifests, which may have been damaged on their disk. */
import { blobBytes, type StoredBlob } from '../../../storage/blobs/port.js';
import { isOutOfFiles, StorageUnavailable } from '../../../storage/data/unavailable.js';

/**
 * The bytes of a file; `undefined` if they can't be read, such as from a bad sector.
 *
 * @throws what says nothing about the file: the storage does not respond, or too many files are open
 */
export async function readableBytes(blob: StoredBlob): Promise<Buffer | undefined> {
  try {
    return await blobBytes(blob);
  } catch (error) {
    if (isOutOfFiles(error) || error instanceof StorageUnavailable) throw error;
    return undefined;
  }
}
