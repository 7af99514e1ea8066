/** Finds poolers that give a session of the server to several clients in turn. */
import type pg from 'pg';
import type { FailoverPool } from './failover-pool.js';

/**
 * Whether a pooler changes the session of a client between its transactions (PgBouncer's `pool_mode = transaction`). Settings and
 * locks of a session then reach other clients.
 */
export async function sharesSessions(pool: FailoverPool): Promise<boolean> {
  const first = await pool.connect();
  try {
    const before = await processOf(first);
    const second = await pool.connect();
    try {
      await second.query('begin');
      // A client with a session of its own keeps its process of the server, which no other client gets.
      if ((await processOf(second)) === before) return true;
      return (await processOf(first)) !== before;
    } finally {
      await second.query('rollback').catch(() => {});
      second.release();
    }
  } finally {
    first.release();
  }
}

async function processOf(client: pg.PoolClient): Promise<number | undefined> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid;
}
