/** The location of indexes in OpenSearch: `opensearch+https://user:password@host1:9200,host2:9200/prefix?shards=3&replicas=1`. */
import { FormatRefused } from '../../../storage/data/format.js';
import { placeOf } from '../../../storage/database/place.js';

const LOCATION = /^opensearch\+(https?):\/\/(?:([^@/?]*)@)?([^@/?]+)\/([^/?]+)(?:\?(.*))?$/s;
const PORT_DEFAULT = 9200;
/** What OpenSearch allows at the start of the name of an index. */
const PREFIX_PATTERN = /^[a-z][a-z0-9_-]{0,62}$/;
const SHARDS_MAX = 1024;
const REPLICAS_MAX = 16;

export interface OpenSearchLocation {
  /** One origin per node that is named, such as `https://host:9200`. */
  readonly origins: readonly string[];
  /** Value of the header `Authorization`. */
  readonly authorization: string | undefined;
  /** Start of the names of all indexes in OpenSearch. */
  readonly prefix: string;
  /** Shards of each new index. */
  readonly shards: number;
  /** Copies of each shard of new indexes, besides the primary. */
  readonly replicas: number;
  /** For messages, without the password. */
  readonly place: string;
}

export function isOpenSearch(location: string): boolean {
  return location.startsWith('opensearch+');
}

/** @throws {FormatRefused} if the location is invalid */
export function parseLocation(location: string): OpenSearchLocation {
  const place = placeOf(location);
  const match = LOCATION.exec(location);
  if (match === null)
    throw new FormatRefused(`'${place}' is not opensearch+https://user:password@host:9200/prefix`);
  const [, scheme = '', user, authority = '', prefix = '', query = ''] = match;
  if (!PREFIX_PATTERN.test(prefix))
    throw new FormatRefused(
      `the prefix '${prefix}' must start with a lower-case letter and have lower-case letters, digits, _ and - only`,
    );
  const parameters = new URLSearchParams(query);
  for (const name of parameters.keys())
    if (name !== 'shards' && name !== 'replicas')
      throw new FormatRefused(`'${place}': the parameters are shards and replicas, not ${name}`);
  return {
    origins: authority.split(',').map((host) => originOf(scheme, host, place)),
    authorization: user === undefined || user === '' ? undefined : basic(user),
    prefix,
    shards: count(parameters, 'shards', 1, 1, SHARDS_MAX),
    replicas: count(parameters, 'replicas', 1, 0, REPLICAS_MAX),
    place,
  };
}

function originOf(scheme: string, host: string, place: string): string {
  const text = `${scheme}://${host}`;
  if (!URL.canParse(text)) throw new FormatRefused(`'${place}': '${host}' is not host:port`);
  const hasPort = /:\d+$/.test(host);
  return new URL(hasPort ? text : `${text}:${PORT_DEFAULT}`).origin;
}

function basic(user: string): string {
  const [name = '', ...password] = user.split(':').map(decodeURIComponent);
  return `Basic ${Buffer.from(`${name}:${password.join(':')}`).toString('base64')}`;
}

function count(parameters: URLSearchParams, name: string, absent: number, min: number, max: number): number {
  const text = parameters.get(name);
  if (text === null) return absent;
  const value = Number(text);
  if (text !== '' && Number.isInteger(value) && value >= min && value <= max) return value;
  throw new FormatRefused(`${name} must be an integer from ${min} to ${max}`);
}
