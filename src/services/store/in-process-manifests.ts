/** Access to the store's manifests for other services in the same process, without HTTP. */
import { manifestUrl } from '../../c2pa/manifest-url.js';
import { StoreRefusal } from './errors.js';
import type { StoreService } from './service.js';

export interface InProcessManifests {
  /** Prefix of their URLs. */
  readonly prefix: string;
  has(manifestId: string): Promise<boolean>;
  read(manifestId: string): Promise<Buffer | undefined>;
}

export function inProcessManifests(service: StoreService, url: string): InProcessManifests {
  const find = (manifestId: string) => found(service.fetch(manifestId));
  return {
    prefix: manifestUrl(url, ''),
    has: async (manifestId) => (await find(manifestId)) !== undefined,
    read: async (manifestId) => {
      const manifest = await find(manifestId);
      return manifest && found(service.read(manifest));
    },
  };
}

async function found<T>(fetched: Promise<T>): Promise<T | undefined> {
  try {
    return await fetched;
  } catch (error) {
    if (error instanceof StoreRefusal) return undefined;
    throw error;
  }
}
