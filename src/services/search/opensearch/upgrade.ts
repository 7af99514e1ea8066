/**
 * The version of the mapping of each index in OpenSearch, which its member `_meta` has. A version that only adds to the one
 * before is written to the existing index.
 */
import { FormatRefused } from '../../../storage/data/format.js';
import type { Client } from './client.js';
import type { OpenSearchLocation } from './location.js';
import { type Kind, MAPPING_VERSION, META, mappingAdditions, physicalPattern } from './mapping.js';

interface Outdated {
  readonly index: string;
  readonly kind: Kind;
  readonly version: number;
}

/** Up to this version, indexes had none. */
const WITHOUT_VERSION = 1;

/** @throws {FormatRefused} if an index was made by a newer isccd */
export async function upgradeMappings(client: Client, location: OpenSearchLocation): Promise<void> {
  for (const { index, kind, version } of await outdatedMappings(client, location))
    await client.send({
      method: 'PUT',
      path: `/${index}/_mapping`,
      body: mappingAdditions(kind, version),
      isRead: false,
    });
}

/** The indexes with an older mapping. @throws {FormatRefused} if one has a newer mapping */
export async function outdatedMappings(
  client: Client,
  location: OpenSearchLocation,
): Promise<readonly Outdated[]> {
  const pattern = physicalPattern(location);
  const found = await client.get<Readonly<Record<string, Described>>>(`/${location.prefix}-u_*/_mapping`);
  const outdated: Outdated[] = [];
  for (const [index, { mappings }] of Object.entries(found)) {
    const kind = pattern.exec(index)?.[2] as Kind | undefined;
    if (kind === undefined) continue;
    const version = mappings._meta?.[META] ?? WITHOUT_VERSION;
    if (version > MAPPING_VERSION)
      throw FormatRefused.newer(`the index ${index} at ${location.place}`, version, MAPPING_VERSION);
    if (version < MAPPING_VERSION) outdated.push({ index, kind, version });
  }
  return outdated;
}

interface Described {
  readonly mappings: { readonly _meta?: Readonly<Record<string, number | undefined>> };
}
