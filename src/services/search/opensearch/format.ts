/** The version of the mapping of each index in OpenSearch, which its member `_meta` has. */
import { FormatRefused } from '../../../storage/data/format.js';
import type { Client } from './client.js';
import type { OpenSearchLocation } from './location.js';
import { MAPPING_VERSION, META, physicalPattern } from './mapping.js';

/** @throws {FormatRefused} if an index has a mapping of another version */
export async function checkMappings(client: Client, location: OpenSearchLocation): Promise<void> {
  const pattern = physicalPattern(location);
  const found = await client.get<Readonly<Record<string, Described>>>(`/${location.prefix}-u_*/_mapping`);
  for (const [index, { mappings }] of Object.entries(found)) {
    if (!pattern.test(index)) continue;
    const version = mappings._meta?.[META] ?? 0;
    const place = `the index ${index} at ${location.place}`;
    if (version > MAPPING_VERSION) throw FormatRefused.newer(place, version, MAPPING_VERSION);
    if (version < MAPPING_VERSION)
      throw new FormatRefused(
        `${place} has format ${version}, but this program supports format ${MAPPING_VERSION} only: an older isccd wrote it. ` +
          'Export the index with that version and import it here',
      );
  }
}

interface Described {
  readonly mappings: { readonly _meta?: Readonly<Record<string, number | undefined>> };
}
