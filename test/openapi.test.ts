/**
 * The committed OpenAPI documents match those that the services serve. After a change of routes or schemas, run
 * `npm run openapi` to regenerate them and the types of the clients, which set-up makes from them.
 */
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SERVICE_NAMES, type ServiceName } from '../src/compose/service-names.js';
import { type AllServices, startAllServices } from './support/all-services.js';

const ROOT = path.join(import.meta.dirname, '..');

let services: AllServices;

beforeAll(async () => {
  // The documents describe all routes, also those that are off by default.
  services = await startAllServices({
    MSTORE_BY_CONTENT: '1',
    RESOLVER_BY_CONTENT: '1',
    RESOLVER_RIGHTS: '1',
    RESOLVER_WATCHES: '1',
  });
});

afterAll(() => services.stop());

test.each(SERVICE_NAMES)('openapi/%s.json', async (name) => {
  await committed(name, '/openapi/openapi.json', path.join('openapi', `${name}.json`));
  await committed(name, '/docs/openapi.json', path.join('openapi', '3.0', `${name}.json`));
});

/** The served document equals the committed file. */
async function committed(name: ServiceName, address: string, file: string): Promise<void> {
  const document: unknown = await (await fetch(`${services.url[name]}${address}`)).json();
  await expect(`${JSON.stringify(document, null, 2)}\n`).toMatchFileSnapshot(path.join(ROOT, file));
}
