/** The location of indexes in PostgreSQL: `postgresql://user@host1,host2/database?schema=name`. */
import { FormatRefused } from '../../data/format.js';

const LOCATION = /^postgres(?:ql)?:\/\/(?:([^@/?]*)@)?([^@/?]*)\/([^/?]*)(?:\?(.*))?$/s;
const SCHEMA_DEFAULT = 'isccd_search';
/** Names that need no quotes in SQL. */
const SCHEMA_PATTERN = /^[a-z_][a-z0-9_]{0,62}$/;
const SESSIONS: readonly (string | null)[] = [null, 'any', 'read-write', 'primary'];

export interface PostgresLocation {
  /** One connection string per host. */
  readonly hosts: readonly string[];
  readonly schema: string;
  /** For messages, without the password. */
  readonly place: string;
}

export function isPostgres(location: string): boolean {
  return /^postgres(ql)?:/.test(location);
}

/** @throws {FormatRefused} if the location is invalid */
export function parseLocation(location: string): PostgresLocation {
  const [, user, authority = '', database, query = ''] = LOCATION.exec(location) ?? refuse(location);
  const parameters = new URLSearchParams(query);
  const schema = parameters.get('schema') ?? SCHEMA_DEFAULT;
  if (!SCHEMA_PATTERN.test(schema))
    throw new FormatRefused(`the schema '${schema}' must have lower-case letters, digits and _ only`);
  // Only a primary server takes writes, so that the others are never used.
  if (!SESSIONS.includes(parameters.get('target_session_attrs')))
    throw new FormatRefused(
      'target_session_attrs must be read-write: the indexes need a server that can be written',
    );
  const folders = parameters.get('host')?.split(',');
  for (const own of ['schema', 'target_session_attrs', 'host']) parameters.delete(own);
  const of = (host: string, folder?: string) => {
    const all = new URLSearchParams(parameters);
    if (folder !== undefined) all.set('host', folder);
    const rest = all.size === 0 ? '' : `?${all}`;
    return `postgresql://${user === undefined ? '' : `${user}@`}${host}/${database}${rest}`;
  };
  const hosts =
    folders?.map((folder) => of(authority, folder)) ?? authority.split(',').map((host) => of(host));
  return { hosts, schema, place: withoutPassword(location) };
}

function withoutPassword(location: string): string {
  return location.replace(/^([^:]+:\/\/[^:@/]*):[^@/]*@/, '$1@');
}

function refuse(location: string): never {
  throw new FormatRefused(`'${withoutPassword(location)}' is not postgresql://user@host/database`);
}
