/**
 * One PostgreSQL server. A server that hangs keeps its connections open, so statements would wait for their time limit. A new
 * connection tells it from a server that is busy with a long statement.
 */
import { Socket } from 'node:net';
import pg from 'pg';
import { ServerSilent } from './server-refused.js';

const CONNECTIONS_MAX = 10;
/** A connection in use for that long makes the host suspect. */
const SUSPECT_MS = 5_000;
/** Most time between two probes of a host whose connection stays in use. */
const SUSPECT_MS_MAX = 60_000;

/** pg returns 64-bit integers as text. Ours are milliseconds, sizes and keys below 2^53, so they become numbers. */
const TYPES = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (oid === pg.types.builtins.INT8 && format !== 'binary') return Number;
    return format === 'binary' ? pg.types.getTypeParser(oid, 'binary') : pg.types.getTypeParser(oid, 'text');
  },
};

export interface HostOptions {
  readonly connectMsMax: number;
  readonly queryMsMax?: number | undefined;
  /** Rejects if connections to this server are not wanted. */
  readonly verify: (client: pg.PoolClient) => Promise<void>;
}

export class Host {
  readonly #pool: pg.Pool;
  readonly #probeConfig: pg.ClientConfig;
  readonly #sockets = new Set<Socket>();
  readonly #suspicions = new Map<pg.PoolClient, NodeJS.Timeout>();
  #probing: Promise<void> | undefined;

  /** @param url connection string */
  constructor(url: string, { connectMsMax, queryMsMax, verify }: HostOptions) {
    this.#probeConfig = { connectionString: url, connectionTimeoutMillis: connectMsMax };
    this.#pool = new pg.Pool({
      ...this.#probeConfig,
      max: CONNECTIONS_MAX,
      ...(queryMsMax !== undefined && { query_timeout: queryMsMax }),
      keepAlive: true,
      allowExitOnIdle: true,
      types: TYPES,
      stream: () => this.#newSocket(),
      verify: (client, done) => {
        verify(client).then(() => done(), done);
      },
    });
    // The pool replaces a broken idle connection. Without a listener its error would end the process.
    this.#pool.on('error', () => {});
    // Nor has a connection in use one, between the statements of a transaction.
    this.#pool.on('connect', (client) => client.on('error', () => {}));
    this.#pool.on('acquire', (client) => this.#suspect(client, SUSPECT_MS));
    this.#pool.on('release', (_, client) => this.#trust(client));
    this.#pool.on('remove', (client) => this.#trust(client));
  }

  connect(): Promise<pg.PoolClient> {
    return this.#pool.connect();
  }

  end(): Promise<void> {
    return this.#pool.end();
  }

  #newSocket(): Socket {
    const socket = new Socket();
    this.#sockets.add(socket);
    return socket.once('close', () => this.#sockets.delete(socket));
  }

  #suspect(client: pg.PoolClient, afterMs: number): void {
    const probe = () => {
      this.#suspect(client, Math.min(2 * afterMs, SUSPECT_MS_MAX));
      this.#probing ??= this.#probe().finally(() => {
        this.#probing = undefined;
      });
    };
    this.#suspicions.set(client, setTimeout(probe, afterMs).unref());
  }

  #trust(client: pg.PoolClient): void {
    clearTimeout(this.#suspicions.get(client));
    this.#suspicions.delete(client);
  }

  /** Ends all connections if the server takes no new one. Never rejects. */
  async #probe(): Promise<void> {
    const client = new pg.Client(this.#probeConfig);
    client.on('error', () => {});
    try {
      await client.connect();
    } catch (error) {
      // The server has answered, e.g. that it has too many connections.
      if (error instanceof pg.DatabaseError) return;
      const silent = new ServerSilent('the database server does not respond', { cause: error });
      for (const socket of this.#sockets) socket.destroy(silent);
    } finally {
      client.end().catch(() => {});
    }
  }
}
