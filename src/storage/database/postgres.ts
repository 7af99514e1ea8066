/** PostgreSQL, through the package pg. */
import { Kysely, type Logger, PostgresDialect } from 'kysely';
import { FailoverPool } from './failover-pool.js';
import { hostsOf } from './hosts.js';
import { QUERY_MS_MAX, WRITER_SESSION } from './session.js';
import type { Tables } from './tables.js';

const CONNECT_MS_MAX = 10_000;
/** With other hosts to try. */
const CONNECT_NEXT_MS_MAX = 3_000;

export interface PostgresOptions {
  readonly log?: Logger;
  /** Whether a standby will do. */
  readonly readsOnly?: boolean;
  /** Whether statements and waits for locks have time limits. */
  readonly isBounded?: boolean;
}

/**
 * Connects at the first statement.
 *
 * @param url may name several hosts, separated by commas: the one that can be written is used, also after a failover
 */
export function openPostgres(
  url: string,
  { log = () => {}, readsOnly = false, isBounded = false }: PostgresOptions = {},
): Kysely<Tables> {
  const hosts = hostsOf(url)?.hosts ?? [url];
  const isAlone = hosts.length < 2;
  const pool = new FailoverPool({
    // One host may have any parameters that pg knows.
    hosts: isAlone ? [url] : hosts,
    connectMsMax: isAlone ? CONNECT_MS_MAX : CONNECT_NEXT_MS_MAX,
    readsOnly,
    encoding: 'UTF8',
    ...(isBounded && { queryMsMax: QUERY_MS_MAX, session: WRITER_SESSION }),
  });
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }), log });
}
