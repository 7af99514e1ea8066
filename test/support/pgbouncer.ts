/** PgBouncer in front of a PostgreSQL server, over a Unix socket. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { serverUser, whenReady } from './postgres.js';
import { debianProgram } from './set-up.js';

/** Only in the name of the socket. */
const PORT = 6432;

export interface Pooler {
  /** The URL of the same database through the pooler. */
  readonly url: string;
  stop(): Promise<void>;
}

/** @param url of a database of a test server */
export async function startPgbouncer(url: string, mode: 'session' | 'transaction'): Promise<Pooler> {
  const program = debianProgram(['pgbouncer', '/usr/sbin/pgbouncer'], 'pgbouncer');
  const folder = await mkdtemp(path.join(os.tmpdir(), 'isccd-pgb-'));
  const owner = await serverUser();
  if (owner !== undefined) await chown(folder, owner.uid, owner.gid);
  const server = new URL(url);
  const configuration = path.join(folder, 'pgbouncer.ini');
  await writeFile(
    configuration,
    `[databases]
* = host=${server.searchParams.get('host')} user=${server.username}
[pgbouncer]
unix_socket_dir = ${folder}
listen_port = ${PORT}
auth_type = any
pool_mode = ${mode}
`,
  );
  const child = spawn(program, [configuration], { ...owner, cwd: folder, stdio: 'ignore' });
  const pooled = `postgres://${server.username}@localhost:${PORT}${server.pathname}?host=${encodeURIComponent(folder)}`;
  await whenReady(pooled);
  return {
    url: pooled,
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
