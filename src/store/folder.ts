/** Names in the store's data folder. */
import { contentFile } from '../blobs/content.js';

/** Folder of the manifests' bytes. */
export const FILES = 'files';
/** One line: the id that the folder shares with its database. */
export const INSTALLATION_FILE = 'INSTALLATION';
export const MANIFEST_SUFFIX = '.c2pa';

/** Path of a manifest's bytes, relative to the data folder. @param sha256 in hex */
export function manifestFile(sha256: string): string {
  return contentFile(sha256, MANIFEST_SUFFIX);
}
