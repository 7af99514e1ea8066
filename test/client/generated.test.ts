/**
 * Clients that common generators make of the served OpenAPI documents: they compile, and they work with the running services.
 * Takes half a minute, and another half minute to install the generators once.
 */
import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TSC } from '../../scripts/lib.mjs';
import { SERVICE_NAMES } from '../../src/compose/service-names.js';
import { type AllServices, startAllServices } from '../support/all-services.js';
import { debianProgram, INSTALL_MAX_MS, npmTools, pythonWith } from '../support/set-up.js';

const run = promisify(execFile);
const ROOT = path.resolve(import.meta.dirname, '../..');
const PROGRAMS = path.join(import.meta.dirname, 'generated');
const PHOTO = path.join(ROOT, 'test/fixtures/codes/files/photo-q85_a.jpg');
const MANIFEST = path.join(ROOT, 'test/fixtures/c2pa/manifests/ok-es256-iscc4.c2pa');
const GENERATE_MAX_MS = 180_000;
const PYTHON = [
  'openapi-python-client==0.29.1',
  'openapi-generator-cli==7.26.0',
  // What the clients of openapi-generator import.
  'pydantic',
  'python-dateutil',
  'urllib3',
];

/** Media types that openapi-python-client does not know. */
const PYTHON_CLIENT_CONFIG = `content_type_overrides:
  application/c2pa: application/octet-stream
  "*/*": application/octet-stream
post_hooks: []
`;

let services: AllServices;
let folder = '';
let python = '';

/** What a program that uses a generated client prints. */
interface Printed {
  readonly iscc: string;
  readonly match: { readonly iscc_id: string; readonly score: number; readonly metadata: unknown };
  readonly [key: string]: unknown;
}

const METADATA = { name: 'Photo', tags: ['a', 1, null, { deep: true }] };
const FOUND = { iscc_id: 'ISCC:MAIGIIFJRDGEQQAA', score: 1, metadata: METADATA };

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'isccd-generated-'));
  services = await startAllServices({ INDEXSVC_API_SECRET: 'key' });
  python = await pythonWith(...PYTHON);
}, INSTALL_MAX_MS);

afterAll(async () => {
  await services.stop();
  await rm(folder, { recursive: true, force: true });
});

const document = (service: (typeof SERVICE_NAMES)[number], address = '/openapi/openapi.json') =>
  `${services.url[service]}${address}`;
const urls = () => SERVICE_NAMES.map((name) => services.url[name]);

async function printed(program: string, args: readonly string[]): Promise<Printed> {
  const env = { ...process.env, PYTHONPATH: folder };
  const { stdout } = await run(program, args, { cwd: folder, env });
  return JSON.parse(stdout) as Printed;
}

describe('a generated client works with all services:', () => {
  it(
    'openapi-typescript',
    async () => {
      const project = path.join(folder, 'typescript');
      await mkdir(project);
      await symlink(await npmTools('openapi-fetch@0.17.0'), path.join(project, 'node_modules'));
      for (const name of SERVICE_NAMES) {
        const args = [document(name), '--output', path.join(project, `${name}.ts`)];
        await run(path.join(ROOT, 'node_modules/.bin/openapi-typescript'), args);
      }
      await copyFile(path.join(PROGRAMS, 'use.ts'), path.join(project, 'use.ts'));
      await writeFile(path.join(project, 'package.json'), '{"type":"module"}');
      const options = ['--strict', '--target', 'es2022', '--module', 'nodenext', '--typeRoots'];
      const types = [path.join(ROOT, 'node_modules/@types'), '--types', 'node'];
      await run(process.execPath, [TSC, ...options, ...types, 'use.ts'], { cwd: project });
      const result = await printed(process.execPath, [path.join(project, 'use.js'), PHOTO, ...urls()]);
      expect(result.iscc).toMatch(/^ISCC:KE/);
      expect(result.match).toMatchObject(FOUND);
      expect(result).toMatchObject({
        refused: { detail: expect.any(String) },
        fingerprints: [{ alg: 'io.iscc.v0' }],
      });
    },
    GENERATE_MAX_MS,
  );

  it(
    'openapi-python-client',
    async () => {
      const config = path.join(folder, 'config.yaml');
      await writeFile(config, PYTHON_CLIENT_CONFIG);
      const generator = path.join(path.dirname(python), 'openapi-python-client');
      for (const name of SERVICE_NAMES) {
        const output = ['--meta', 'none', '--output-path', path.join(folder, `opc_${name}`)];
        await run(generator, [
          ...['generate', '--url', document(name), '--config', config, '--fail-on-warning'],
          ...output,
        ]);
      }
      const program = path.join(PROGRAMS, 'use_openapi_python_client.py');
      const result = await printed(python, [program, PHOTO, MANIFEST, ...urls()]);
      expect(result.match).toMatchObject(FOUND);
      expect(result).toMatchObject({ index: expect.arrayContaining(['opc']), alive: 'ok' });
      expect(result.stored).toMatchObject({ manifestId: expect.stringMatching(/^urn:/) });
    },
    GENERATE_MAX_MS,
  );

  it(
    'openapi-generator, of the OpenAPI 3.0 form',
    async () => {
      debianProgram(['java'], 'default-jre-headless');
      const generator = path.join(path.dirname(python), 'openapi-generator-cli');
      const configs = SERVICE_NAMES.map(async (name) => {
        const file = path.join(folder, `og_${name}.json`);
        const config = {
          generatorName: 'python',
          inputSpec: document(name, '/docs/openapi.json'),
          outputDir: path.join(folder, 'og', name),
          packageName: `og_${name}`,
        };
        await writeFile(file, JSON.stringify(config));
        return file;
      });
      await run(generator, ['batch', '--fail-fast', '--threads', '2', ...(await Promise.all(configs))]);
      for (const name of SERVICE_NAMES)
        await symlink(path.join(folder, 'og', name, `og_${name}`), path.join(folder, `og_${name}`));
      const program = path.join(PROGRAMS, 'use_openapi_generator.py');
      const result = await printed(python, [program, PHOTO, MANIFEST, ...urls()]);
      expect(result.match).toMatchObject(FOUND);
      expect(result).toMatchObject({ index: expect.arrayContaining(['og']), alive: 'ok' });
      expect(result.stored).toMatchObject({ manifestId: expect.stringMatching(/^urn:/) });
    },
    GENERATE_MAX_MS,
  );
});
