/** The committed OpenAPI documents are clean for a common linter, and code for the clients of the reference compiles with them. */
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { SERVICE_NAMES } from '../src/compose/service-names.js';
import { INSTALL_MAX_MS, npmTools, pythonPackage } from './support/set-up.js';

const run = promisify(execFile);
const OPENAPI = path.resolve(import.meta.dirname, '../openapi');

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly security?: readonly Record<string, unknown>[];
}

interface Schema {
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
}

interface Document {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly securitySchemes: unknown;
  };
}

async function read(file: string): Promise<Document> {
  return JSON.parse(await readFile(file, 'utf8')) as Document;
}

/** The C2PA definition, which we copy verbatim, has relative addresses as examples of URIs. */
const C2PA_EXAMPLE = /^components\.schemas\.c2pa\.wellKnownDiscovery\.properties\.\w+\.example$/;

it(
  'the linter Spectral finds nothing with its rules for OpenAPI',
  async () => {
    const spectral = path.join(await npmTools('@stoplight/spectral-cli@6.16.3'), '.bin', 'spectral');
    const ruleset = path.join(tmpdir(), `isccd-spectral-${process.pid}.json`);
    await writeFile(ruleset, '{"extends":["spectral:oas"]}');
    const files = SERVICE_NAMES.flatMap((name) => [`${name}.json`, `3.0/${name}.json`]);
    const documents = files.map((file) => path.join(OPENAPI, file));
    const output = path.join(tmpdir(), `isccd-spectral-${process.pid}-found.json`);
    const args = ['lint', '--ruleset', ruleset, '--format', 'json', '--output', output, ...documents];
    // It fails if it finds anything.
    await run(spectral, args).catch(() => undefined);
    const found = JSON.parse(await readFile(output, 'utf8')) as readonly {
      readonly path: readonly string[];
    }[];
    expect(found.filter((one) => !C2PA_EXAMPLE.test(one.path.join('.')))).toEqual([]);
  },
  INSTALL_MAX_MS,
);

describe('openapi/search.json, compared with the document of iscc-search 0.3.3,', () => {
  const both = async () => {
    const reference = path.join(
      await pythonPackage('iscc-search==0.3.3'),
      'iscc_search/openapi/openapi.json',
    );
    return [await read(reference), await read(path.join(OPENAPI, 'search.json'))] as const;
  };

  it(
    'has its operations with their ids and parameters, and the name of its key',
    async () => {
      const [reference, ours] = await both();
      const operations = Object.entries(reference.paths).flatMap(([url, methods]) =>
        Object.entries(methods).map(([method, operation]) => ({ url, method, operation })),
      );
      expect(operations.length).toBe(8);
      for (const { url, method, operation } of operations) {
        const own = ours.paths[url]?.[method];
        expect(own?.operationId, `${method} ${url}`).toBe(operation.operationId);
        const parameters = (own?.parameters ?? []).map(rule);
        for (const parameter of operation.parameters ?? [])
          expect(parameters).toContainEqual(rule(parameter));
        const added = (own?.parameters ?? []).filter(
          ({ name }) => !operation.parameters?.some((known) => known.name === name),
        );
        expect(added.filter(({ required }) => required)).toEqual([]);
        expect(own?.security).toContainEqual(operation.security?.[0]);
      }
      expect(ours.components.securitySchemes).toMatchObject({
        ApiKeyAuth: { in: 'header', name: 'X-API-Key' },
      });
    },
    INSTALL_MAX_MS,
  );

  it(
    'has its schemas with all their members',
    async () => {
      const [reference, ours] = await both();
      // Not part of any response or request.
      const { IsccChunk: _, ...schemas } = reference.components.schemas;
      for (const [name, { properties, required = [] }] of Object.entries(schemas)) {
        const own = ours.components.schemas[name];
        expect(Object.keys(own?.properties ?? {}), name).toEqual(
          expect.arrayContaining(Object.keys(properties ?? {})),
        );
        expect(own?.required ?? [], name).toEqual(expect.arrayContaining([...required]));
      }
    },
    INSTALL_MAX_MS,
  );
});

const rule = ({ name, in: place, required = false }: Parameter) => ({ name, place, required });
