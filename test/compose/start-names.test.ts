/** Which names `startServices` takes. */
import { expect, it } from 'vitest';
import { startServices } from '../../src/library/index.js';

it.each([
  [['nope'], '"nope" is not a service; the services are codes, search, store, resolver'],
  [['search', 'nope'], '"nope" is not a service'],
  [[undefined], 'undefined is not a service'],
  [[], 'names: must contain a service'],
  ['search', 'names: must be an array of services, not "search"'],
  [null, 'names: must be an array of services, not null'],
])('rejects %j, before the configuration is read', async (names, message) => {
  // This port is invalid.
  const environment = { INDEXSVC_PORT: 'none', INDEXSVC_INDEX_URI: 'memory://' };
  await expect(startServices(names as never, { environment })).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
    message: expect.stringContaining(message),
  });
});
