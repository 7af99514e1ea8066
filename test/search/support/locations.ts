/** Where the indexes of a test are: in memory, in a folder, in a database, or in OpenSearch. */
import { get } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, inject } from 'vitest';
import { type PostgresServer, startPostgres } from '../../support/postgres.js';

export type Backend = 'memory' | 'lmdb' | 'usearch' | 'postgresql' | 'opensearch';

/** A location. {@link located} makes a new one for each one of PostgreSQL and OpenSearch. */
export function indexUri(backend: Backend, folder: string): string {
  return backend === 'memory' ? 'memory://' : `${backend}://${folder}`;
}

let server: Promise<PostgresServer> | undefined;
/** Databases, and locations in OpenSearch, by location. */
const places = new Map<string, Promise<string>>();

afterAll(async () => {
  await (await server)?.stop();
});

/** The location that an engine is opened with. */
export function located(location: string): Promise<string> | string {
  const [, scheme] = /^(postgresql|opensearch):\/\/\//.exec(location) ?? [];
  if (scheme === undefined) return location;
  const place = places.get(location) ?? (scheme === 'opensearch' ? newLocation() : newDatabase());
  places.set(location, place);
  return place;
}

async function newDatabase(): Promise<string> {
  server ??= startPostgres();
  return (await server).createDatabase();
}

/** A location of indexes in the node that all test files share. Not with `fetch`, which does not wait for an installation. */
export function newLocation(): Promise<string> {
  return new Promise((resolve, reject) => {
    get(inject('sharedOpenSearch'), (response) => text(response).then(resolve, reject)).once('error', reject);
  });
}
