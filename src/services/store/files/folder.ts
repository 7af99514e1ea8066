/** Names in the store's data folder. */
import { contentFile } from '../../../storage/blobs/content.js';

export { FILES, NAME_FILE as INSTALLATION_FILE } from '../../../storage/blobs/content.js';
export const MANIFEST_SUFFIX = '.c2pa';

/** Path of a manifest's bytes, relative to the data folder. @param sha256 in hex */
export function manifestFile(sha256: string): string {
  return contentFile(sha256, MANIFEST_SUFFIX);
}
