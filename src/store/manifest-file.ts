/** Where the store's folder has a manifest's bytes. */
import { contentFile } from '../blobs/content.js';

export const MANIFEST_SUFFIX = '.c2pa';

/** Relative to the folder. @param sha256 in hex */
export function manifestFile(sha256: string): string {
  return contentFile(sha256, MANIFEST_SUFFIX);
}
