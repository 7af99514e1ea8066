import { expect, test } from 'vitest';
import { largestBody } from '../../src/http/routing/route.js';
import { loadTransport } from '../../src/http/transport/load-transport.js';
import type { Transport } from '../../src/http/transport/transport.js';
import { createLogger } from '../../src/platform/observe/log.js';
import type { Sessions } from '../../src/services/dashboard/accounts/sessions.js';
import { upload } from '../../src/services/dashboard/guarded.js';

test.each([1024, 1024 ** 3])('a file search of %i bytes does not slow the transport down', (bytesMax) => {
  const handler = () => {
    throw new Error('not called');
  };
  const route = upload({} as Sessions, 'viewer', '/admin/matches/', { bytesMax, handler });
  const fast: Transport = { ...loadTransport('node', createLogger('fatal')) };
  expect(loadTransport('auto', createLogger('fatal'), largestBody([route]), () => fast)).toBe(fast);
});
