/** Whether `pg_dump`, which backups run, can copy the databases of a server. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const RUN_MS_MAX = 10_000;

/**
 * Why the `pg_dump` on the PATH refuses to copy a database of this server: it is from an older major version. `undefined` if
 * it does not, and also without `pg_dump`, because backups may be made by other means.
 *
 * @param serverVersion the server's `server_version_num`, such as 170009
 */
export async function dumpProblem(serverVersion: number): Promise<string | undefined> {
  const server = Math.floor(serverVersion / 10_000);
  const dump = await dumpMajor();
  if (dump === undefined || dump >= server) return undefined;
  return (
    `isccd backup needs pg_dump ${server} or newer for a PostgreSQL ${server} server, the one on the PATH has version ` +
    `${dump}; install postgresql-client-${server}`
  );
}

async function dumpMajor(): Promise<number | undefined> {
  try {
    const { stdout } = await promisify(execFile)('pg_dump', ['--version'], { timeout: RUN_MS_MAX });
    // `pg_dump (PostgreSQL) 17.9 (Debian 17.9-1)`, `pg_dump (PostgreSQL) 18beta1`
    const [, major] = /\) (\d+)/.exec(stdout) ?? [];
    return major === undefined ? undefined : Number(major);
  } catch {
    return undefined;
  }
}
