/** Searches of the dashboard with a file: the coder and the matches of `byContent`. */
import { bindingsOf, distinctBindings } from '../c2pa/content-query.js';
import type { ManifestReader } from '../c2pa/manifest-reader.js';
import { type ContentCoder, ContentRefused } from '../content/coder.js';
import type { FileSearch } from '../services/dashboard/port.js';
import type { StoreService } from '../services/store/service.js';

/** Matches on the page. */
const MATCHES_MAX = 100;

export function fileSearch(service: StoreService, coder: ContentCoder, reader: ManifestReader): FileSearch {
  return {
    bytesMax: coder.bytesMax,
    find: async (asset) => {
      try {
        const coded = await coder.code(asset);
        const bindings = distinctBindings(await bindingsOf(coded, undefined, reader));
        return { iscc: coded.iscc, matches: await service.queryAny(bindings, MATCHES_MAX) };
      } catch (error) {
        if (error instanceof ContentRefused) return { refused: error.message };
        throw error;
      }
    },
  };
}
