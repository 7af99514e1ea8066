/** The indexes in OpenSearch that make up an index: their names, settings and mappings. */
import type { FollowedState } from '../../../native.js';
import type { OpenSearchLocation } from './location.js';

export const KINDS = ['assets', 'units', 'simprints'] as const;
export type Kind = (typeof KINDS)[number];

/** Version of the mapping. Indexes with another one are refused. */
export const MAPPING_VERSION = 3;
/** Member of `_meta` with the version. */
export const META = 'isccd_mapping';
/** End of the names in OpenSearch. Indexes that are made to replace others get the next number, and then the aliases. */
const GENERATION = 1;
/** How soon changes are visible. A change waits for it before its response. */
const REFRESH_INTERVAL = '250ms';
/** How soon missing copies of shards are made again: without them, no change is acknowledged. */
const NODE_LEFT_TIMEOUT = '5s';
/** Lengths in bits of the prefixes of units that are compared. */
export const UNIT_BITS = [64, 128, 192, 256] as const;

/** The document that lists the indexes. */
export function registryIndex({ prefix }: OpenSearchLocation): string {
  return `${prefix}-registry`;
}

/** The name in OpenSearch, which no rename changes. */
export function internalAlias({ prefix }: OpenSearchLocation, uid: string, kind: Kind): string {
  return `${prefix}-${uid}-${kind}`;
}

/** The name for operators. */
export function publicAlias({ prefix }: OpenSearchLocation, name: string, kind: Kind): string {
  return `${prefix}-${name}-${kind}`;
}

export function physicalIndex(location: OpenSearchLocation, uid: string, kind: Kind): string {
  return `${internalAlias(location, uid, kind)}-${GENERATION}`;
}

/** Names in OpenSearch of the parts of indexes; the groups are uid and kind. */
export function physicalPattern({ prefix }: OpenSearchLocation): RegExp {
  return new RegExp(`^${prefix}-(u_[0-9a-f]+)-(${KINDS.join('|')})-\\d+$`);
}

/** The body that creates an index. */
export function creation(location: OpenSearchLocation, name: string, uid: string, kind: Kind): object {
  return {
    aliases: { [internalAlias(location, uid, kind)]: {}, [publicAlias(location, name, kind)]: {} },
    settings: {
      index: {
        number_of_shards: location.shards,
        number_of_replicas: location.replicas,
        refresh_interval: REFRESH_INTERVAL,
        // Other kinds of replication have copies that are not current.
        'replication.type': 'DOCUMENT',
        'unassigned.node_left.delayed_timeout': NODE_LEFT_TIMEOUT,
        ...(kind !== 'assets' && { knn: true }),
      },
    },
    mappings: { dynamic: 'strict', _meta: { [META]: MAPPING_VERSION }, properties: PROPERTIES[kind] },
  };
}

export function registryCreation(location: OpenSearchLocation): object {
  const settings = {
    number_of_shards: 1,
    number_of_replicas: location.replicas,
    'replication.type': 'DOCUMENT',
  };
  return { settings: { index: settings }, mappings: { dynamic: false } };
}

const INSTANCE = 'INSTANCE_';
const KEYWORD = { type: 'keyword' };
/** Stored, but neither parsed nor indexed. */
const OPAQUE = { type: 'object', enabled: false };

function vector(bits: number): object {
  const method = { name: 'hnsw', engine: 'lucene', space_type: 'hamming' };
  return { type: 'knn_vector', dimension: bits, data_type: 'binary', space_type: 'hamming', method };
}

export function vectorField(bits: number): string {
  return `c${bits}`;
}

const TERM = { type: KEYWORD, bits: { type: 'short' }, touched: { type: 'date' } };

const PROPERTIES: Readonly<Record<Kind, object>> = {
  // The truth: what clients sent, and the terms by which it is found.
  assets: {
    key: KEYWORD,
    code: OPAQUE,
    units: OPAQUE,
    metadata: OPAQUE,
    simprints: OPAQUE,
    created: { type: 'date' },
    updated: { type: 'date' },
    unit_terms: KEYWORD,
    // Found by, but neither sorted nor counted by.
    unit_parts: { type: 'keyword', doc_values: false },
    simprint_terms: KEYWORD,
  },
  // One document per different unit, whatever the number of assets that have it.
  units: { ...TERM, ...Object.fromEntries(UNIT_BITS.map((bits) => [vectorField(bits), vector(bits)])) },
  // One document per different simprint. Their vectors are added with their types.
  simprints: TERM,
};

/** The mapping of the vectors of simprints. */
export function simprintVectors({ simprintBits }: FollowedState): object {
  const fields = simprintBits.map((bits) => [vectorField(bits), vector(bits)] as const);
  return { properties: Object.fromEntries(fields) };
}

/** Whether near terms are looked for. Equal Instance-Codes are found by the terms of the assets. */
export function hasVectors(term: string): boolean {
  return !term.startsWith(INSTANCE);
}

/** The document of a term: a type, a colon, and a body in hexadecimal digits. */
export function termDocument(kind: Kind, term: string, touched: string): object {
  const colon = term.lastIndexOf(':');
  const body = Buffer.from(term.slice(colon + 1), 'hex');
  const bits = body.length * 8;
  const vectors = kind === 'simprints' ? [bits] : UNIT_BITS.filter((length) => length <= bits);
  return {
    type: term.slice(0, colon),
    bits,
    touched,
    ...Object.fromEntries(vectors.map((length) => [vectorField(length), signedBytes(body, length)])),
  };
}

/** The first bits of a body, as OpenSearch takes them. */
export function signedBytes(body: Buffer, bits: number): number[] {
  return [...new Int8Array(body.subarray(0, bits / 8))];
}
