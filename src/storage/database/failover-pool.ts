/** Connections to the one of several PostgreSQL servers that can be written: the primary, also after a failover. */
import type { PostgresPool } from 'kysely';
import type pg from 'pg';
import { Host } from './host.js';
import { ServerRefused } from './server-refused.js';

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
  readonly #hosts: readonly Host[];
  #current = 0;

  constructor(options: FailoverOptions) {
    const { hosts, connectMsMax, queryMsMax } = options;
    const verified = (client: pg.PoolClient) => verify(client, options);
    this.#hosts = hosts.map((host) => new Host(host, { connectMsMax, queryMsMax, verify: verified }));
  }

  /** @throws the error of the last host if no host can be written */
  async connect(): Promise<pg.PoolClient> {
    let failure: unknown;
    for (const _ of this.#hosts) {
      const at = this.#current;
      try {
        return await (this.#hosts[at] as Host).connect();
      } catch (error) {
        // The reason of a server that is no standby says more.
        if (failure === undefined || !(error instanceof ServerRefused)) failure = error;
        if (this.#current === at) this.#current = (at + 1) % this.#hosts.length;
      }
    }
    throw failure;
  }

  async end(): Promise<void> {
    await Promise.all(this.#hosts.map((host) => host.end()));
  }
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
