/** The store of this process for the resolver, which knows its own errors only. */
import { StoreUnavailable } from '../services/resolver/errors.js';
import type { LocalManifests } from '../services/resolver/manifests.js';
import type { InProcessManifests } from '../services/store/in-process-manifests.js';
import { StorageUnavailable } from '../storage/data/unavailable.js';
import { isUnavailable } from '../storage/database/unavailable.js';

export function manifestsForResolver({ prefix, has, read }: InProcessManifests): LocalManifests {
  return {
    prefix,
    has: (manifestId) => has(manifestId).catch(rejectAsUnavailable),
    read: (manifestId) => read(manifestId).catch(rejectAsUnavailable),
  };
}

/** Of the database and of the storage of files. */
function rejectAsUnavailable(cause: unknown): never {
  if (!isUnavailable(cause) && !(cause instanceof StorageUnavailable)) throw cause;
  throw new StoreUnavailable('the database or the files of the store are unavailable', { cause });
}
