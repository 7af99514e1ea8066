/** The location of indexes in PostgreSQL: `postgresql://user@host1,host2/database?schema=name`. */
import path from 'node:path';
import { FormatRefused } from '../../../storage/data/format.js';
import { hostsOf, isWritableSession } from '../../../storage/database/hosts.js';
import { placeOf } from '../../../storage/database/place.js';

const CACHE_FOLDER = 'search-cache';

const SCHEMA_DEFAULT = 'isccd_search';
/** Names that need no quotes in SQL. */
const SCHEMA_PATTERN = /^[a-z_][a-z0-9_]{0,62}$/;

/** Our own, and those of the connection. Others would be ignored. */
const PARAMETERS: ReadonlySet<string> = new Set([
  'schema',
  'target_session_attrs',
  'host',
  'port',
  'user',
  'password',
  'application_name',
  'client_encoding',
  'options',
  'ssl',
  'sslmode',
  'sslcert',
  'sslkey',
  'sslrootcert',
  'sslnegotiation',
  'uselibpqcompat',
]);

export interface PostgresLocation {
  /** One connection string per host. */
  readonly hosts: readonly string[];
  readonly schema: string;
  /** For messages, without the password. */
  readonly place: string;
}

/**
 * The folder in the data directory with a process's cache of the indexes in a database. A cache has one process.
 *
 * @param worker number of a worker, whose successor uses its cache
 */
export function cacheFolder(dataDir: string, worker?: number): string {
  return path.join(dataDir, worker === undefined ? CACHE_FOLDER : `${CACHE_FOLDER}-${worker}`);
}

export function isPostgres(location: string): boolean {
  return /^postgres(ql)?:/.test(location);
}

/** @throws {FormatRefused} if the location is invalid */
export function parseLocation(location: string): PostgresLocation {
  const split = hostsOf(location, ['schema']) ?? refuse(location);
  const { hosts, parameters } = split;
  const unknown = [...parameters.keys()].find((name) => !PARAMETERS.has(name));
  if (unknown !== undefined)
    throw new FormatRefused(
      `${placeOf(location)}: unknown parameter '${unknown}'; known are ${[...PARAMETERS].join(', ')}`,
    );
  const schema = parameters.get('schema') ?? SCHEMA_DEFAULT;
  if (!SCHEMA_PATTERN.test(schema))
    throw new FormatRefused(`the schema '${schema}' must have lower-case letters, digits and _ only`);
  if (!isWritableSession(split))
    throw new FormatRefused(
      'target_session_attrs must be read-write: the indexes need a server that can be written',
    );
  return { hosts, schema, place: placeOf(location) };
}

function refuse(location: string): never {
  throw new FormatRefused(`'${placeOf(location)}' is not postgresql://user@host/database`);
}
