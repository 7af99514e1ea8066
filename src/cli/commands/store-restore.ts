/** `isccd store restore`: undoes a delete, whether the store runs or not. */
import { environment } from '../../platform/config/env.js';
import { storeVariables } from '../../platform/config/store.js';
import { storeBlobsS3, storeDataDir } from '../../platform/config/store-settings.js';
import { readVariables } from '../../platform/config/variable.js';
import { declarationTarget } from '../../services/store/declarations/declarations.js';
import { openBlobs } from '../../services/store/files/open-blobs.js';
import { Manifests } from '../../services/store/manifests/manifests.js';
import { eventLog } from '../../services/store/webhooks/events.js';
import { commandActor } from '../input/actor.js';
import { withStoreDatabase } from '../input/store-database.js';
import { CommandFailed } from '../terminal/failure.js';

/** Makes a deleted manifest live again. @throws {CommandFailed} if it can't be restored */
export async function restore(manifestId: string, { json }: { json?: boolean }): Promise<void> {
  const values = environment();
  const variables = readVariables(storeVariables, values);
  const target = declarationTarget(variables);
  const place = { dataDir: storeDataDir(values), blobsS3: storeBlobsS3(variables, values) };
  const restored = await withStoreDatabase(async ({ db }) => {
    const blobs = await openBlobs(place);
    const hasFile = async (sha256: string) => (await blobs.find(sha256)) !== undefined;
    try {
      const manifests = new Manifests(db, eventLog(variables));
      const found = await manifests.findById(manifestId);
      if (found === undefined) throw new CommandFailed(`the store has no manifest ${manifestId}`);
      if (found.live) throw new CommandFailed(`${manifestId} is not deleted`);
      const options = { now: Date.now(), actor: commandActor(), target, hasFile };
      const [key] = await manifests.restore([found.key], options);
      const [after] = await manifests.findByKeys([found.key]);
      if (key === undefined || after === undefined) {
        throw new CommandFailed(
          `${manifestId} can't be restored: its bytes are no longer kept, see MSTORE_UNDO_DAYS; release its id and upload it again`,
        );
      }
      return after;
    } finally {
      await blobs.close();
    }
  });
  const { sha256, status } = restored;
  process.stderr.write(`isccd: ${manifestId} restored, declaration: ${status}\n`);
  if (json) process.stdout.write(`${JSON.stringify({ manifestId, sha256, declaration: status })}\n`);
}
