/** Makes the types of the clients, `src/client/openapi`, from the documents in `openapi`. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import openapiTS, { astToString } from 'openapi-typescript';
import { root } from './lib.mjs';

const HEAD = '/** Made from the OpenAPI document by `scripts/openapi-types.mjs`. */\n';

const [from, to] = [path.join(root, 'openapi'), path.join(root, 'src', 'client', 'openapi')];
const documents = readdirSync(from).filter((name) => name.endsWith('.json'));
const types = documents.map(async (name) => {
  const ast = await openapiTS(JSON.parse(readFileSync(path.join(from, name), 'utf8')), { immutable: true });
  return [name.replace(/\.json$/, '.ts'), HEAD + astToString(ast)];
});
const files = await Promise.all(types);
rmSync(to, { recursive: true, force: true });
mkdirSync(to, { recursive: true });
for (const [name, text] of files) writeFileSync(path.join(to, name), text);
