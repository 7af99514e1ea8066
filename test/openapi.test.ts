/**
 * The committed OpenAPI documents are those the services answer with. After a change of routes or schemas:
 * `npm run openapi` writes them anew.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SERVICES, type ServiceName } from '../src/cli/services.js';

const ROOT = path.join(import.meta.dirname, '..');
const NAMES = Object.keys(SERVICES) as ServiceName[];
const PORT_VARIABLES: Readonly<Record<string, string>> = {
  codes: 'CODEWEB_PORT',
  search: 'INDEXSVC_PORT',
  store: 'MSTORE_PORT',
  resolver: 'RESOLVER_PORT',
};

let folder: string;
let server: ChildProcess;
const addresses = new Map<string, string>();

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'isccd-openapi-'));
  const ports = Object.fromEntries(NAMES.map((name) => [PORT_VARIABLES[name], '0']));
  server = spawn(process.execPath, [path.join(ROOT, 'dist/cli/main.js'), 'serve'], {
    cwd: folder,
    env: { ...process.env, ...ports, ISCCD_DATA_DIR: folder },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  for await (const text of server.stdout?.setEncoding('utf8') ?? []) {
    output += text;
    for (const [, name, url] of output.matchAll(/^(\w+) +(http:\/\/\S+)/gm))
      addresses.set(String(name), String(url));
    if (addresses.size === NAMES.length) break;
  }
});

afterAll(async () => {
  server.kill();
  await rm(folder, { recursive: true, force: true });
});

test.each(NAMES)('openapi/%s.json', async (name) => {
  const page = name === 'codes' ? '/docs/openapi.json' : '/openapi/openapi.json';
  const document = await (await fetch(`${addresses.get(name)}${page}`)).json();
  await expect(`${JSON.stringify(document, null, 2)}\n`).toMatchFileSnapshot(
    path.join(ROOT, 'openapi', `${name}.json`),
  );
});
