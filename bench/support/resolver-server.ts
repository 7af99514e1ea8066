/** A search service and two resolvers that use it, in a separate process. Sends their URLs to the parent process. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ServiceApp } from '../../src/http/routing/service.js';
import { startServer } from '../../src/http/server.js';
import { loadTransport } from '../../src/http/transport/load-transport.js';
import { readResolverConfig } from '../../src/platform/config/resolver.js';
import { searchVariables } from '../../src/platform/config/search.js';
import { readVariables } from '../../src/platform/config/variable.js';
import { createLogger } from '../../src/platform/observe/log.js';
import { resolverApp } from '../../src/services/resolver/app.js';
import { searchApp } from '../../src/services/search/app.js';
import { AUTHORITY } from '../../test/resolver/support/gateways.js';

const log = createLogger('silent');
const start = (app: ServiceApp) =>
  startServer(app, { host: '127.0.0.1', port: 0, transport: loadTransport('auto', log), log });

const folder = await mkdtemp(path.join(tmpdir(), 'isccd-bench-'));
const app = await searchApp(readVariables(searchVariables, {}), folder);
const search = await start(app);
const test = { RESOLVER_ENVIRONMENT: 'test', RESOLVER_TEST_ALLOW: '127.0.0.1', RESOLVER_PROBE_TIMEOUT: '30' };
const network = { ca: AUTHORITY };
const direct = await start(await resolverApp(readResolverConfig(test), { search: app.inProcess }, network));
const remote = readResolverConfig({ ...test, RESOLVER_SEARCH_URL: search.url });
const overHttp = await start(await resolverApp(remote, {}, network));
process.send?.({ search: search.url, direct: direct.url, overHttp: overHttp.url });
process.on('disconnect', () => process.exit());
