/** The digest of an index: SHA-256 of its assets as JSON lines, in the order of their ISCC-IDs. Equal indexes have equal ones. */
import { createHash } from 'node:crypto';
import path from 'node:path';
import { native } from '../../native.js';

const PAGE_ASSETS = 1000;

/** The digest of an index in a folder, also while the service runs. */
export async function folderDigest(folder: string, name: string): Promise<string> {
  const reader = await native.openAssetReader('index', path.join(folder, name));
  const hash = createHash('sha256');
  for (;;) {
    const { lines, position } = await reader.next(PAGE_ASSETS);
    hash.update(lines);
    if (position === undefined) return hash.digest('hex');
  }
}
