/** The store of this process for the resolver, which knows its own errors only. */
import { StorageUnavailable } from '../data/unavailable.js';
import { StoreUnavailable } from '../resolver/errors.js';
import type { LocalManifests } from '../resolver/manifests.js';
import type { InProcessManifests } from '../store/in-process-manifests.js';

export function manifestsForResolver({ prefix, has, read }: InProcessManifests): LocalManifests {
  return {
    prefix,
    has: (manifestId) => has(manifestId).catch(rejectAsUnavailable),
    read: (manifestId) => read(manifestId).catch(rejectAsUnavailable),
  };
}

function rejectAsUnavailable(error: unknown): never {
  throw error instanceof StorageUnavailable ? new StoreUnavailable(error.message, { cause: error }) : error;
}
