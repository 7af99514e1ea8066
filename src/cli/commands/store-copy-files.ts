/** `isccd store copy-files`: moves an installation's files from its data folder into a bucket. */
import { environment } from '../../platform/config/env.js';
import { storeVariables } from '../../platform/config/store.js';
import { storeBlobsS3, storeDataDir } from '../../platform/config/store-settings.js';
import { readVariables } from '../../platform/config/variable.js';
import { MANIFEST_SUFFIX } from '../../services/store/files/folder.js';
import { openBlobs } from '../../services/store/files/open-blobs.js';
import { FolderContentBlobs } from '../../storage/blobs/content.js';
import { blobBytes } from '../../storage/blobs/port.js';
import { CommandFailed } from '../terminal/failure.js';
import { StatusLine } from '../terminal/lines.js';

/**
 * Copies all files of `MSTORE_DATA_DIR` to `MSTORE_BLOBS`, and then the id of the installation, which makes the bucket
 * usable. Files that the bucket has are skipped, so an interrupted command can be repeated.
 *
 * @throws {CommandFailed} if no bucket is configured, it belongs to another installation, or it can't be used
 */
export async function copyFiles({ json }: { json?: boolean }): Promise<void> {
  const values = environment();
  const blobsS3 = storeBlobsS3(readVariables(storeVariables, values), values);
  if (blobsS3 === undefined) throw new CommandFailed(`set ${storeVariables.blobs.name} to the bucket first`);
  const dataDir = storeDataDir(values);
  const folder = await FolderContentBlobs.open(dataDir, MANIFEST_SUFFIX);
  const name = await folder.name();
  if (name === undefined) throw new CommandFailed(`${dataDir} is not the folder of a store that has run`);
  const bucket = await openBlobs({ dataDir, blobsS3 });
  try {
    const present = await bucket.name();
    if (present !== undefined && present !== name)
      throw new CommandFailed(`${bucket.place} belongs to another installation`);
    const counts = { copied: 0, skipped: 0 };
    const line = new StatusLine(json);
    for await (const { digest } of folder.list()) {
      const blob = await folder.find(digest);
      const isThere = blob !== undefined && (await bucket.find(digest))?.bytes === blob.bytes;
      if (blob !== undefined && !isThere) await bucket.put(digest, await blobBytes(blob));
      counts[isThere ? 'skipped' : 'copied'] += 1;
      line.show(`copying files: ${counts.copied + counts.skipped}`);
    }
    line.clear();
    await bucket.named(name);
    process.stderr.write(
      `isccd: ${counts.copied} files copied to ${bucket.place}, ${counts.skipped} were there\n`,
    );
    if (json) process.stdout.write(`${JSON.stringify({ place: bucket.place, ...counts })}\n`);
  } finally {
    await bucket.close();
  }
}
