/**
 * The API of store and resolver against the definition of the C2PA: its operations, parameters and schemas, and a client
 * that a common generator makes of it.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { native } from '../../src/native.js';
import { codeOf, manifestFor, store } from '../content/support.js';
import { type AllServices, startAllServices } from '../support/all-services.js';
import { INSTALL_MAX_MS, pythonWith } from '../support/set-up.js';

const run = promisify(execFile);
const ROOT = path.resolve(import.meta.dirname, '../..');
const SERVICES = ['store', 'resolver'] as const;
/** 1.1.0 has the two queries that the stored part of 2.4.0 lacks. */
const VERSIONS = ['2.4.0', '1.1.0'] as const;

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: Readonly<Record<string, unknown>>;
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
}

interface Definition {
  readonly info: { readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

const definitionFile = (version: string) =>
  path.join(ROOT, `test/fixtures/c2pa/definition/soft-binding-resolution-${version}.json`);
const read = async (file: string) => JSON.parse(await readFile(file, 'utf8')) as Definition;

describe.each(SERVICES)('openapi/%s.json', (service) => {
  const ours = () => read(path.join(ROOT, 'openapi', `${service}.json`));

  it('has the schemas of the C2PA verbatim, but for an extension and a rule that nothing can fulfil', async () => {
    const definition = await read(definitionFile('2.4.0'));
    const { schemas } = (await ours()).components;
    for (const [name, schema] of Object.entries(definition.components.schemas)) {
      const own = withoutExtensions(schemas[name]);
      expect(own, name).toEqual(withoutExtensions(schema));
    }
  });

  it.each(VERSIONS)('has the operations of the C2PA %s with their ids and parameters', async (version) => {
    const { paths } = await ours();
    const { paths: defined } = await read(definitionFile(version));
    for (const [address, methods] of Object.entries(defined)) {
      const own = paths[ownPath(address)] ?? {};
      for (const method of ['get', 'post']) {
        const operation = methods[method];
        if (operation === undefined) continue;
        const { operationId, parameters = [] } = operation;
        expect(own[method]?.operationId, address).toBe(operationId);
        const known = new Map(own[method]?.parameters?.map((one) => [`${one.in} ${one.name}`, one]));
        for (const { name, in: place, required = false, schema } of parameters) {
          const found = known.get(`${place} ${name.replace('activeManifestId', 'manifestId')}`);
          expect(found, `${operationId}: ${name}`).toMatchObject({ required, schema });
        }
        const added = [...known.values()].filter(({ name }) => !parameters.some((one) => one.name === name));
        expect(added.filter(({ required, in: place }) => required && place !== 'path')).toEqual([]);
      }
    }
  });
});

describe('a client that openapi-python-client makes of the definition', () => {
  let services: AllServices;
  let folder = '';
  let python = '';
  let photo = '';
  let manifestId = '';
  let value = '';

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'isccd-definition-'));
    services = await startAllServices({ MSTORE_BY_CONTENT: '1', RESOLVER_BY_CONTENT: '1' });
    photo = path.join(ROOT, 'test/fixtures/codes/files/photo-q85_a.jpg');
    const { units } = await codeOf(services.url.codes, await readFile(photo));
    const seq = native.encodeSeq(units);
    const bindings = [
      { alg: 'io.iscc.v0', value: seq },
      { alg: 'com.adobe.trustmark.P', value: Buffer.from('a watermark') },
    ];
    manifestId = await store(services.url.store, await manifestFor(bindings));
    value = seq.toString('base64');
    python = await pythonWith('openapi-python-client==0.29.1');
    await generateClients();
  }, INSTALL_MAX_MS);

  afterAll(async () => {
    await services.stop();
    await rm(folder, { recursive: true, force: true });
  });

  /** The generator knows no wildcards. The clients send them as they are. */
  async function generateClients(): Promise<void> {
    const types = [
      'application/c2pa',
      ...['image', 'audio', 'video', 'application', 'model', 'text'].map(any),
    ];
    const overrides = types.map((type) => `  "${type}": application/octet-stream\n`).join('');
    const config = path.join(folder, 'config.yaml');
    await writeFile(config, `content_type_overrides:\n${overrides}post_hooks: []\n`);
    const generator = path.join(path.dirname(python), 'openapi-python-client');
    for (const version of VERSIONS) {
      const output = path.join(folder, `c2pa_${version.replaceAll('.', '_')}`);
      const args = ['generate', '--path', definitionFile(version), '--config', config, '--fail-on-warning'];
      await run(generator, [...args, '--meta', 'none', '--output-path', output]);
    }
  }

  it.each(SERVICES)(
    'uses the %s, from its discovery to the manifest of a photo',
    async (service) => {
      const program = path.join(import.meta.dirname, 'generated/use_c2pa_definition.py');
      const args = [program, services.url[service], photo, value, manifestId];
      const { stdout } = await run(python, args, { env: { ...process.env, PYTHONPATH: folder } });
      const isStore = service === 'store';
      expect(JSON.parse(stdout)).toEqual({
        version: '2.4.0',
        capabilities: [
          ...(isStore ? ['storeManifests', 'storeBindings'] : []),
          'queryByContent',
          'queryByReference',
        ],
        status: 'ok',
        watermarks: isStore ? ['com.adobe.trustmark.P'] : [],
        fingerprints: ['io.iscc.v0'],
        found: Array(3).fill([manifestId, 100]),
        manifestBytes: expect.any(Number),
        refused: 400,
      });
    },
    INSTALL_MAX_MS,
  );
});

const any = (type: string) => `${type}/*`;

function ownPath(address: string): string {
  return address.startsWith('/.well-known/')
    ? address
    : `/v1${address.replace('activeManifestId', 'manifestId')}`;
}

/**
 * Without our extension `isccId`; without the `oneOf` by which each watermark would need a member `watermarks` or
 * `fingerprints`; with the names in `required` in order, and the type that one schema leaves out.
 */
function withoutExtensions(schema: object | undefined): unknown {
  return JSON.parse(JSON.stringify({ type: 'object', ...schema }), (key, value: unknown) => {
    if (key === 'isccId' || key === 'oneOf') return undefined;
    return key === 'required' && Array.isArray(value) ? value.sort() : value;
  });
}
