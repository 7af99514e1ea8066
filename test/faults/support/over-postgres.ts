/** Services over PostgreSQL, for one test. */
import { onTestFinished } from 'vitest';
import type { ServiceName } from '../../../src/compose/service-names.js';
import { temporaryFolder } from '../../codes/support/folder.js';
import { servicePorts } from '../../support/all-services.js';
import { type PostgresServer, startPostgres } from '../../support/postgres.js';
import { type ServedProcess, serve } from '../../support/serve.js';

export interface TestDatabase {
  readonly postgres: PostgresServer;
  /** Of an empty database. */
  readonly location: string;
}

export async function startDatabase(): Promise<TestDatabase> {
  const postgres = await startPostgres();
  onTestFinished(() => postgres.stop());
  return { postgres, location: await postgres.createDatabase() };
}

/** Stops all processes of the server; they continue at the end of the test at the latest. */
export function freeze(postgres: PostgresServer): void {
  postgres.freeze();
  onTestFinished(() => postgres.thaw());
}

/** One process with these services, in a folder of its own. */
export async function startServices(
  names: readonly ServiceName[],
  settings: Readonly<Record<string, string>>,
): Promise<ServedProcess> {
  const folder = await temporaryFolder();
  const env = { ...(await servicePorts()), ISCCD_DATA_DIR: folder, ...settings };
  const server = await serve([...names], { cwd: folder, env });
  onTestFinished(() => server.kill());
  return server;
}
