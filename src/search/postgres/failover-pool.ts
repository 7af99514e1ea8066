/** Connections to the one of several PostgreSQL servers that can be written: the primary, also after a failover. */
import type { PostgresPool } from 'kysely';
import pg from 'pg';
import { postgresTypes } from '../../database/postgres.js';
import type { PostgresLocation } from './location.js';

const CONNECTIONS_MAX = 10;
const CONNECT_MS_MAX = 3_000;
/** For large batches and the pages of a load. */
const QUERY_MS_MAX = 120_000;

/**
 * Ends a transaction whose process is unreachable: it holds the lock of the feed, so that all other writers wait for it.
 * A writer that waits longer than that gives up.
 */
const SESSION = {
  idle_in_transaction_session_timeout: '30s',
  tcp_keepalives_idle: '10',
  tcp_keepalives_interval: '5',
  tcp_keepalives_count: '3',
  lock_timeout: '40s',
  bytea_output: 'hex',
} as const;

/** The server is a standby, or the database has a wrong encoding. The message is one line for the operator. */
export class ServerRefused extends Error {
  override readonly name = 'ServerRefused';
}

export class FailoverPool implements PostgresPool {
  readonly #pools: readonly pg.Pool[];
  #current = 0;

  constructor({ hosts, schema }: Pick<PostgresLocation, 'hosts' | 'schema'>) {
    this.#pools = hosts.map((host) => poolOf(host, schema));
  }

  /** @throws the error of the last host if no host can be written */
  async connect(): Promise<pg.PoolClient> {
    let failure: unknown;
    for (const _ of this.#pools) {
      const at = this.#current;
      try {
        return await (this.#pools[at] as pg.Pool).connect();
      } catch (error) {
        // The reason of a server that is no standby says more.
        if (failure === undefined || !(error instanceof ServerRefused)) failure = error;
        if (this.#current === at) this.#current = (at + 1) % this.#pools.length;
      }
    }
    throw failure;
  }

  async end(): Promise<void> {
    await Promise.all(this.#pools.map((pool) => pool.end()));
  }
}

function poolOf(host: string, schema: string): pg.Pool {
  const pool = new pg.Pool({
    connectionString: host,
    max: CONNECTIONS_MAX,
    connectionTimeoutMillis: CONNECT_MS_MAX,
    query_timeout: QUERY_MS_MAX,
    keepAlive: true,
    allowExitOnIdle: true,
    types: postgresTypes,
    verify: (client, done) => {
      verify(client, schema).then(() => done(), done);
    },
  });
  // The pool replaces a broken idle connection. Without a listener its error would end the process.
  pool.on('error', () => {});
  // Nor has a connection in use one, between the statements of a transaction.
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

async function verify(client: pg.PoolClient, schema: string): Promise<void> {
  const settings = Object.entries({ ...SESSION, search_path: schema });
  const set = settings.map((_, at) => `set_config($${2 * at + 1}, $${2 * at + 2}, false)`).join(', ');
  const text = `select pg_is_in_recovery() as standby, current_setting('server_encoding') as encoding, ${set}`;
  const { rows } = await client.query<{ standby: boolean; encoding: string }>(text, settings.flat());
  const [server] = rows;
  if (server?.standby) throw new ServerRefused('the server is a standby and cannot be written');
  if (server?.encoding !== 'UTF8')
    throw new ServerRefused(`the encoding of the database is ${server?.encoding}, it must be UTF8`);
}
