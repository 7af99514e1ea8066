/**
 * The zod schemas document request bodies; the engine checks them. Generated bodies must get the same verdict from both.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { entry, newIndex, query } from '../../src/services/search/schema.js';
import { randomAsset } from './support/random-assets.js';
import { post, startSearch } from './support/search-server.js';

const RUNS = 1500;

/** Rules about the content of a body, which a schema cannot express. The engine reports each with status 400. */
const CONTENT_RULES = [
  "Asset must have 'iscc_code' or 'units'",
  "Query must have 'iscc_code', 'units', or 'simprints' for search",
  'Non-base32 digit found',
  'Incorrect padding',
  'Input too short - minimum 4 bits required',
  "Invalid prefix pattern '1111'",
  'Invalid ISCC - ',
  'ISCC body of ',
  'Not an ISCC-UNIT: ',
  'Realm ID mismatch: ',
  'Realm mismatch: ',
  'Simprint is not base64: ',
  'Simprint of ',
  "The number of vector dimensions doesn't match!",
  'all input arrays must have the same shape',
];

const QUERY_MEMBERS = new Set(Object.keys(query.shape));
const asset = randomAsset(1);
const SIMPRINT = 'AAAAAAAAAAAAAAAAAAAAAA';

/** JSON values of every kind, and near misses of valid ones. */
const junk = fc.oneof(
  fc.constantFrom(null, true, false, [], {}, '', 'x', -1, 0, 1.5, 1e21),
  fc.constantFrom('7', ' 7 ', '+7', '1.0', '1.5', '1e3', '-0'),
  fc.constantFrom(4_294_967_295, 4_294_967_296, '4294967295', '4294967296', 2.0, -0.5),
  fc.constantFrom('ISCC:', 'iscc:AAAAAAAAAAAAAAAA', 'ISCC:AAAAAAAAAAAAAAA', 'ISCC:AAAAAAAAAAAAAAAA1'),
  fc.constantFrom('AAAAAAAAAA', 'AAAAAAAAAAA', 'AAAA AAAA AAAA', 'AAAA+/AA-_AA=='),
  fc.jsonValue({ maxDepth: 2, stringUnit: 'grapheme-ascii' }),
);

/** Mostly valid values, so that most bodies have one violation or none. */
function mostly<T>(...valid: readonly T[]): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 12, arbitrary: fc.constantFrom(...valid) }, { weight: 1, arbitrary: junk });
}

function mostlyFrom(valid: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 12, arbitrary: valid }, { weight: 1, arbitrary: junk });
}

const id = mostly(asset.iscc_id, randomAsset(2).iscc_id, 'ISCC:MEAAAAAAAAAAAAAA');
// A missing or null id has its own test: the engine reports it after content rules.
const entryId = id.filter((value) => value !== null);
const code = mostly(
  'ISCC:KAC42YWGSRP3HXGYRVTJM5YN35VQYNE33RERQV2HPQS5CAQSC2EVOQI',
  'ISCC:AAAAAAAAAAAAAAAAAAAA',
);
const units = mostlyFrom(fc.array(mostly(...(asset.units ?? []), 'x'), { maxLength: 4 }));
const storedSimprint = mostlyFrom(
  fc.record(
    {
      simprint: mostly(SIMPRINT, `${SIMPRINT}==`),
      offset: mostly<unknown>(0, 7, 4_294_967_295, '12', true),
      size: mostly<unknown>(1, 2),
      unknown: junk,
    },
    { requiredKeys: ['simprint'] },
  ),
);
const typeName = fc.constantFrom('CONTENT_TEXT_V0', 'a type', '');
const simprints = (item: fc.Arbitrary<unknown>) =>
  mostlyFrom(fc.dictionary(typeName, mostlyFrom(fc.array(item, { maxLength: 3 })), { maxKeys: 2 }));
const metadata = mostlyFrom(fc.dictionary(fc.constantFrom('name', 'a'), junk, { maxKeys: 2 }));

const anyEntry = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record(
      {
        iscc_id: entryId,
        iscc_code: code,
        units,
        simprints: simprints(storedSimprint),
        metadata,
        unknown: junk,
      },
      { requiredKeys: ['iscc_id'] },
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom(null, 1, 'x', [], true) },
);
const anyQuery = mostlyFrom(
  fc.record(
    {
      iscc_id: id,
      iscc_code: code,
      units,
      simprints: simprints(fc.oneof(mostly(SIMPRINT, 'AA'), storedSimprint)),
      unknown: junk,
    },
    { requiredKeys: ['units'] },
  ),
).filter((value) => !hasOnlyUnknownMembers(value));

/** The engine reports a query without any known member as empty, whatever else it contains. */
function hasOnlyUnknownMembers(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const members = Object.keys(value);
  return members.length > 0 && !members.some((member) => QUERY_MEMBERS.has(member));
}

let url: string;
beforeAll(async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'isccd-agreement-'));
  const server = await startSearch(folder, { INDEXSVC_SYNC: 'false' });
  url = server.url;
  expect((await post(`${url}/indexes`, { name: 'main' })).status).toBe(201);
  return async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  };
});

/** Both verdicts on a body: valid, or not. */
async function verdicts(schema: z.ZodType, path: string, body: unknown) {
  // The schema judges the value that the engine gets: without `undefined`, and with the numbers of JSON.
  const value = JSON.parse(JSON.stringify(body)) as unknown;
  const { success } = schema.safeParse(value);
  const response = await post(url + path, value);
  const { detail } = (await response.json()) as { detail?: unknown };
  const isContent = (text: string) => CONTENT_RULES.some((rule) => text.startsWith(rule));
  const broken = response.status === 400 && !(typeof detail === 'string' && isContent(detail));
  return { schema: success, engine: !broken && response.status !== 422, status: response.status, detail };
}

function agreement(schema: z.ZodType, path: string, bodies: fc.Arbitrary<unknown>) {
  return async () => {
    const seen = { valid: 0, invalid: 0 };
    await fc.assert(
      fc.asyncProperty(bodies, async (body) => {
        const verdict = await verdicts(schema, path, body);
        seen[verdict.engine ? 'valid' : 'invalid'] += 1;
        expect([200, 201, 400, 404, 409, 422]).toContain(verdict.status);
        expect(verdict.schema, JSON.stringify(verdict.detail)).toBe(verdict.engine);
      }),
      { numRuns: RUNS },
    );
    // The generators must produce both kinds.
    expect(Math.min(seen.valid, seen.invalid)).toBeGreaterThan(RUNS / 20);
  };
}

describe('zod and the engine agree', () => {
  const name = mostlyFrom(
    fc.record({ name: mostly('main', 'a1', 'A', 'a_b', 'a'.repeat(32), 'a'.repeat(33)) }),
  );
  test('on the body of POST /indexes', agreement(newIndex, '/indexes', name), 60_000);
  const entries = mostlyFrom(fc.array(anyEntry, { maxLength: 2 }));
  test('on the body of POST assets', agreement(z.array(entry), '/indexes/main/assets', entries), 60_000);
  test('that an asset needs an ISCC-ID', async () => {
    const { iscc_id: _, ...anonymous } = asset;
    for (const id of [{}, { iscc_id: null }, { iscc_id: 'ISCC:AAAAAAAAAAAAAAAA' }]) {
      const verdict = await verdicts(z.array(entry), '/indexes/main/assets', [{ ...anonymous, ...id }]);
      expect(verdict).toMatchObject({ schema: false, engine: false, status: 400 });
    }
  });
  test('on the body of POST search', agreement(query, '/indexes/main/search', anyQuery), 60_000);
});

test('the examples of the documentation are valid', async () => {
  expect((await post(`${url}/indexes`, { name: 'examples' })).status).toBe(201);
  const example = (schema: z.ZodType) => schema.meta()?.example;
  const added = await post(`${url}/indexes/examples/assets`, [example(entry)]);
  expect(added.status).toBe(201);
  const found = await post(`${url}/indexes/examples/search`, example(query));
  expect(await found.json()).toMatchObject({ global_matches: [{ score: 1, metadata: { name: 'Example' } }] });
});
