/** Connections to the one of several PostgreSQL servers that can be written: the primary, also after a failover. */
import type { PostgresPool } from 'kysely';
import pg from 'pg';
import { ServerRefused } from './server-refused.js';

const CONNECTIONS_MAX = 10;

/** pg returns 64-bit integers as text. Ours are milliseconds, sizes and keys below 2^53, so they become numbers. */
const TYPES = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (oid === pg.types.builtins.INT8 && format !== 'binary') return Number;
    return format === 'binary' ? pg.types.getTypeParser(oid, 'binary') : pg.types.getTypeParser(oid, 'text');
  },
};

export interface FailoverOptions {
  /** One connection string per host. */
  readonly hosts: readonly string[];
  readonly connectMsMax: number;
  readonly queryMsMax?: number;
  /** Settings of every session. */
  readonly session?: Readonly<Record<string, string>>;
  /** Encoding that the database must have. */
  readonly encoding?: string;
  /** Whether a standby will do. */
  readonly readsOnly?: boolean;
}

/** Connects to the first host that can be written, and stays with it until it cannot. */
export class FailoverPool implements PostgresPool {
  readonly #pools: readonly pg.Pool[];
  #current = 0;

  constructor(options: FailoverOptions) {
    this.#pools = options.hosts.map((host) => poolOf(host, options));
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

function poolOf(host: string, options: FailoverOptions): pg.Pool {
  const { connectMsMax, queryMsMax } = options;
  const pool = new pg.Pool({
    connectionString: host,
    max: CONNECTIONS_MAX,
    connectionTimeoutMillis: connectMsMax,
    ...(queryMsMax !== undefined && { query_timeout: queryMsMax }),
    keepAlive: true,
    allowExitOnIdle: true,
    types: TYPES,
    verify: (client, done) => {
      verify(client, options).then(() => done(), done);
    },
  });
  // The pool replaces a broken idle connection. Without a listener its error would end the process.
  pool.on('error', () => {});
  // Nor has a connection in use one, between the statements of a transaction.
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

async function verify(client: pg.PoolClient, options: FailoverOptions): Promise<void> {
  const { session = {}, encoding, readsOnly = false } = options;
  const settings = Object.entries(session);
  const set = settings.map((_, at) => `, set_config($${2 * at + 1}, $${2 * at + 2}, false)`).join('');
  const text = `select pg_is_in_recovery() as standby, current_setting('server_encoding') as encoding${set}`;
  const { rows } = await client.query<{ standby: boolean; encoding: string }>(text, settings.flat());
  const [server] = rows;
  if (server?.standby && !readsOnly) throw new ServerRefused('the server is a standby and cannot be written');
  if (encoding !== undefined && server?.encoding !== encoding)
    throw new ServerRefused(`the encoding of the database is ${server?.encoding}, it must be ${encoding}`);
}
