/** Thumbnails for the dashboard. */
import type { Thumbnails } from '../services/dashboard/port.js';
import { StoreRefusal } from '../services/store/errors.js';
import type { ManifestViews } from '../services/store/views.js';

/** A manifest that the store refuses to read, such as a deleted one, has no thumbnail. */
export function thumbnailsOf(views: ManifestViews): Thumbnails {
  return {
    has: (manifestId) => orElse(views.hasThumbnail(manifestId), false),
    of: (manifestId) => orElse(views.thumbnail(manifestId), undefined),
  };
}

async function orElse<T, E>(reading: Promise<T>, otherwise: E): Promise<T | E> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof StoreRefusal) return otherwise;
    throw error;
  }
}
