/** Several queries of one request, when the engine fails. */
import { expect, test } from 'vitest';
import type { Engine } from '../../src/services/search/engine/port.js';
import { searchAll } from '../../src/services/search/several.js';

/** As an engine on other machines fails. */
const failing = { search: () => Promise.reject(new Error('the cluster is unreachable')) };

test('one failure ends the response; the queries behind it fail unheard', async () => {
  const { signal } = new AbortController();
  const queries = [Buffer.from('{}'), Buffer.from('{}'), Buffer.from('{}')];
  const results = searchAll(failing as unknown as Engine, 'photos', queries, { signal, limit: 10 });
  await expect(results.next()).rejects.toThrow('the cluster is unreachable');
  // A rejection without a handler would end the process.
  for (let turns = 0; turns < 5; turns += 1) await new Promise(setImmediate);
});
