/**
 * The committed OpenAPI documents match those that the services serve, and the client's types are generated from them.
 * After a change of routes or schemas, run `npm run openapi` to regenerate both.
 */
import path from 'node:path';
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import ts from 'typescript';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SERVICE_NAMES } from '../src/compose/service-names.js';
import { type AllServices, startAllServices } from './support/all-services.js';

const ROOT = path.join(import.meta.dirname, '..');
/** Any JSON is a schema that contains itself, which TypeScript can't say in this form. */
const ANY_JSON = /\/__schema\d+$/;

const HEAD = '/** Made from the OpenAPI document by `npm run openapi`. */\n';

let services: AllServices;

beforeAll(async () => {
  services = await startAllServices();
});

afterAll(() => services.stop());

test.each(SERVICE_NAMES)('openapi/%s.json and the types of it', async (name) => {
  const page = name === 'codes' ? '/docs/openapi.json' : '/openapi/openapi.json';
  const document = (await (await fetch(`${services.url[name]}${page}`)).json()) as OpenAPI3;
  await expect(`${JSON.stringify(document, null, 2)}\n`).toMatchFileSnapshot(
    path.join(ROOT, 'openapi', `${name}.json`),
  );
  const types = astToString(await openapiTS(document, { immutable: true, transform }));
  await expect(HEAD + types).toMatchFileSnapshot(path.join(ROOT, 'src/client/openapi', `${name}.ts`));
});

function transform(_: unknown, { path = '' }: { path?: string | undefined }): ts.TypeNode | undefined {
  return ANY_JSON.test(path) ? ts.factory.createKeywordTypeNode(ts.SyntaxKind.UnknownKeyword) : undefined;
}
