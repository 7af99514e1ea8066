/** Where the indexes of a test are: in memory, in a folder, in a database, or in OpenSearch. */
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { inject } from 'vitest';

export type Backend = 'memory' | 'lmdb' | 'usearch' | 'postgresql' | 'opensearch';

/** A location. {@link located} makes a new one for each one of PostgreSQL and OpenSearch. */
export function indexUri(backend: Backend, folder: string): string {
  return backend === 'memory' ? 'memory://' : `${backend}://${folder}`;
}

/** Databases, and locations in OpenSearch, by location. */
const places = new Map<string, Promise<string>>();

/** The location that an engine is opened with. */
export function located(location: string): Promise<string> | string {
  const [, scheme] = /^(postgresql|opensearch):\/\/\//.exec(location) ?? [];
  if (scheme === undefined) return location;
  const place = places.get(location) ?? newLocation(scheme === 'opensearch' ? 'opensearch' : 'postgresql');
  places.set(location, place);
  return place;
}

/**
 * A new place for indexes in an engine that all test files share. Not with `fetch`, which does not wait for an installation.
 *
 * @throws if the engine does not start
 */
export async function newLocation(engine: 'opensearch' | 'postgresql'): Promise<string> {
  const [response] = (await once(get(`${inject('sharedEngines')}/${engine}`), 'response')) as [
    IncomingMessage,
  ];
  const answer = await text(response);
  if (response.statusCode !== 200) throw new Error(answer);
  return answer;
}
