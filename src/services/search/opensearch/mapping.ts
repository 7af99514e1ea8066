/** The index in OpenSearch of an index: its names, settings, mapping and documents. */
import type { FollowedState } from '../../../native.js';
import type { OpenSearchLocation } from './location.js';
import { LENGTHS, PATH, UNIT_TYPES, vectorsOf } from './near.js';

/** Version of the mapping. Indexes with another one are refused. */
export const MAPPING_VERSION = 4;
/** Member of `_meta` with the version. */
export const META = 'isccd_mapping';
/** End of the names in OpenSearch. Indexes that are made to replace others get the next number, and then the aliases. */
const GENERATION = 1;
/** How soon changes are visible. A change waits for it before its response. */
const REFRESH_INTERVAL = '250ms';
/** How soon missing copies of shards are made again: without them, no change is acknowledged. */
const NODE_LEFT_TIMEOUT = '5s';
/** Units and simprints of an asset. Requests are limited by their bytes. */
const BODIES_MAX = 10_000_000;

/** The document that lists the indexes. */
export function registryIndex({ prefix }: OpenSearchLocation): string {
  return `${prefix}-registry`;
}

/** The name in OpenSearch, which no rename changes. */
export function internalAlias({ prefix }: OpenSearchLocation, uid: string): string {
  return `${prefix}-${uid}-assets`;
}

/** The name for operators. */
export function publicAlias({ prefix }: OpenSearchLocation, name: string): string {
  return `${prefix}-${name}-assets`;
}

export function physicalIndex(location: OpenSearchLocation, uid: string): string {
  return `${internalAlias(location, uid)}-${GENERATION}`;
}

/** Names in OpenSearch of indexes; the group is the uid. Those of older formats have other kinds. */
export function physicalPattern({ prefix }: OpenSearchLocation): RegExp {
  return new RegExp(`^${prefix}-(u_[0-9a-f]+)-[a-z]+-\\d+$`);
}

/** The body that creates an index. */
export function creation(location: OpenSearchLocation, name: string, uid: string): object {
  return {
    aliases: { [internalAlias(location, uid)]: {}, [publicAlias(location, name)]: {} },
    settings: {
      index: {
        ...copies(location),
        number_of_shards: location.shards,
        refresh_interval: REFRESH_INTERVAL,
        'unassigned.node_left.delayed_timeout': NODE_LEFT_TIMEOUT,
        'mapping.nested_objects.limit': BODIES_MAX,
        knn: true,
      },
    },
    mappings: {
      dynamic: 'strict',
      _meta: { [META]: MAPPING_VERSION },
      // What is stored of a document is the row. The rest follows from it.
      _source: { excludes: ['unit_terms', 'simprint_terms', PATH] },
      properties: PROPERTIES,
    },
  };
}

export function registryCreation(location: OpenSearchLocation): object {
  const settings = { number_of_shards: 1, ...copies(location) };
  return { settings: { index: settings }, mappings: { dynamic: false } };
}

function copies({ replicas }: OpenSearchLocation): object {
  // Other kinds of replication have copies that are not current.
  return { number_of_replicas: replicas, 'replication.type': 'DOCUMENT' };
}

/** Stored, but neither parsed nor indexed. */
const OPAQUE = { type: 'object', enabled: false };
/** Found by, but neither sorted nor counted by. */
const FOUND_BY = { type: 'keyword', doc_values: false };

function vector(bits: number): object {
  const method = { name: 'hnsw', engine: 'lucene', space_type: 'hamming' };
  return { type: 'knn_vector', dimension: bits, data_type: 'binary', space_type: 'hamming', method };
}

const OF_UNIT = { properties: Object.fromEntries(LENGTHS.map(([field, bits]) => [field, vector(bits)])) };

const PROPERTIES = {
  key: { type: 'keyword' },
  code: OPAQUE,
  units: OPAQUE,
  metadata: OPAQUE,
  simprints: OPAQUE,
  unit_terms: FOUND_BY,
  simprint_terms: { type: 'keyword' },
  // A part for each unit and simprint.
  [PATH]: {
    type: 'nested',
    properties: { parts: FOUND_BY, ...Object.fromEntries(UNIT_TYPES.map((type) => [type, OF_UNIT])) },
  },
};

/** The mapping of the vectors of simprints, which are added with their types. */
export function simprintVectors({ simprintBits }: FollowedState): object {
  const fields = simprintBits.map((bits, kind) => [`s${kind}`, vector(bits)] as const);
  return { properties: { [PATH]: { type: 'nested', properties: Object.fromEntries(fields) } } };
}

/** By what an asset is found. */
export interface Terms {
  readonly units: readonly string[];
  readonly simprints: readonly string[];
}

/** The members of the document of an asset besides its row. */
export function foundBy({ units, simprints }: Terms): object {
  return { unit_terms: units, simprint_terms: simprints, [PATH]: vectorsOf(units, simprints) };
}
