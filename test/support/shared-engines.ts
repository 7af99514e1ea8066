/**
 * One node of OpenSearch and one server of PostgreSQL for the indexes of all test files of a run: the first file that asks
 * for an engine starts it, and it ends with the run. Tests that stop an engine have one of their own.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestProject } from 'vitest/node';
import { type OpenSearchCluster, openSearchIfPossible } from './opensearch.js';
import type { PostgresServer } from './postgres.js';

declare module 'vitest' {
  interface ProvidedContext {
    /**
     * `/opensearch` responds with the location of indexes with a new prefix, empty if no node can be installed;
     * `/postgresql` with the URL of a new database.
     */
    readonly sharedEngines: string;
  }
}

/** Vitest calls this before the first file, and the returned function after the last one. */
export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  let node: Promise<OpenSearchCluster | undefined> | undefined;
  let database: Promise<PostgresServer> | undefined;
  const newLocation = async (engine: string | undefined): Promise<string> => {
    if (engine === '/postgresql') {
      // Loading it looks for the programs, and may install them: not in runs that need none.
      database ??= import('./postgres.js').then(({ startPostgres }) => startPostgres());
      return (await database).createDatabase();
    }
    node ??= openSearchIfPossible();
    return (await node)?.location() ?? '';
  };
  const server = createServer((request, response) => {
    newLocation(request.url).then(
      (location) => response.end(location),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  // A first start may install the engine.
  server.requestTimeout = 0;
  await listening(server);
  provide('sharedEngines', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return async () => {
    server.closeAllConnections();
    server.close();
    await Promise.all([(await node)?.stop(), (await database)?.stop()]);
  };
}

function listening(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve());
  });
}
