/**
 * The committed OpenAPI documents match those that the services serve, and the client's types are generated from them.
 * After a change of routes or schemas, run `npm run openapi` to regenerate both.
 */
import path from 'node:path';
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SERVICE_NAMES, type ServiceName } from '../src/compose/service-names.js';
import { type AllServices, startAllServices } from './support/all-services.js';

const ROOT = path.join(import.meta.dirname, '..');
const HEAD = '/** Made from the OpenAPI document by `npm run openapi`. */\n';

let services: AllServices;

beforeAll(async () => {
  // The documents describe all routes, also those that are off by default.
  services = await startAllServices({
    MSTORE_BY_CONTENT: '1',
    RESOLVER_BY_CONTENT: '1',
    RESOLVER_RIGHTS: '1',
  });
});

afterAll(() => services.stop());

test.each(SERVICE_NAMES)('openapi/%s.json and the types of it', async (name) => {
  const document = await committed(name, '/openapi/openapi.json', path.join('openapi', `${name}.json`));
  await committed(name, '/docs/openapi.json', path.join('openapi', '3.0', `${name}.json`));
  const types = astToString(await openapiTS(document, { immutable: true }));
  await expect(HEAD + types).toMatchFileSnapshot(path.join(ROOT, 'src/client/openapi', `${name}.ts`));
});

/** The served document, which equals the committed file. */
async function committed(name: ServiceName, address: string, file: string): Promise<OpenAPI3> {
  const document = (await (await fetch(`${services.url[name]}${address}`)).json()) as OpenAPI3;
  await expect(`${JSON.stringify(document, null, 2)}\n`).toMatchFileSnapshot(path.join(ROOT, file));
  return document;
}
