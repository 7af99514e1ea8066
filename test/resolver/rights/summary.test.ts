/** The summary of sources: what it may claim, for any sources. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SIGNATURES, type Source, USES } from '../../../src/services/resolver/rights/schema.js';
import { summarise } from '../../../src/services/resolver/rights/summary.js';
import { fieldStatements } from '../../../src/services/resolver/rights/vocabulary.js';

const statement = fc.record({
  use: fc.constantFrom(...USES, 'com.example.use'),
  permission: fc.constantFrom('allowed' as const, 'notAllowed' as const, 'constrained' as const),
  field: fc.constant('field'),
  value: fc.constant('value'),
  implied: fc.boolean(),
});
const source = fc.record({
  kind: fc.constantFrom('manifest' as const, 'metadata' as const, 'declaration' as const),
  place: fc.constantFrom('file' as const, 'match' as const),
  signature: fc.constantFrom(...SIGNATURES),
  counts: fc.boolean(),
  statements: fc.array(statement, { maxLength: 6 }),
});
const sources = fc
  .array(source, { maxLength: 6 })
  .map((list): Source[] => list.map((one, at) => ({ id: String(at + 1), ...one })));

const about = (use: string, list: readonly Source[]) =>
  list
    .filter(({ counts }) => counts)
    .flatMap(({ id, statements }) =>
      statements.filter((one) => one.use === use).map((one) => ({ id, ...one })),
    );

describe('a summary', () => {
  it('claims nothing that one of its sources does not say', () => {
    fc.assert(
      fc.property(sources, (list) => {
        for (const [use, { status, sources: named }] of Object.entries(summarise(list))) {
          const said = about(use, list);
          expect(new Set(named)).toEqual(new Set(said.map(({ id }) => id)));
          const permissions = new Set(said.map(({ permission }) => permission));
          if (status === 'unspecified') expect(said).toEqual([]);
          else if (status === 'conflicting') expect(permissions.size).toBeGreaterThan(1);
          else expect([...permissions]).toEqual([status]);
        }
      }),
    );
  });

  it('never becomes more permissive by a further source', () => {
    fc.assert(
      fc.property(sources, source, (list, further) => {
        const before = summarise(list);
        const after = summarise([...list, { id: 'further', ...further }]);
        for (const [use, { status }] of Object.entries(before)) {
          if (status === 'unspecified') continue;
          expect([status, 'conflicting']).toContain(after[use]?.status);
        }
      }),
    );
  });

  it('names the weakest signature, and whether any source names the use', () => {
    fc.assert(
      fc.property(sources, (list) => {
        for (const [use, entry] of Object.entries(summarise(list))) {
          const said = about(use, list);
          if (said.length === 0) continue;
          const ranks = entry.sources.map((id) =>
            SIGNATURES.indexOf(list.find((one) => one.id === id)?.signature ?? 'none'),
          );
          expect(entry.signature).toBe(SIGNATURES[Math.max(...ranks)]);
          expect(entry.implied).toBe(said.every(({ implied }) => implied));
        }
      }),
    );
  });
});

describe('the reading of fields', () => {
  it('permits only what a field names', () => {
    const values = fc.oneof(
      fc.constantFrom(
        'DMI-ALLOWED',
        'DMI-PROHIBITED',
        'dmi-allowed',
        'DMI-ALLOWED-ALL',
        'DMI-UNSPECIFIED',
        '0',
        '1',
        '2',
      ),
      fc.string(),
    );
    const field = fc.record({
      place: fc.constant('xmp' as const),
      name: fc.constantFrom('plus:DataMining' as const, 'tdm:reservation' as const, 'tdm:policy' as const),
      value: values,
    });
    fc.assert(
      fc.property(fc.array(field, { maxLength: 4 }), (fields) => {
        for (const { permission, use, implied, value } of fieldStatements(fields)) {
          if (permission !== 'allowed') continue;
          expect([use, implied]).toEqual(['c2pa.data_mining', false]);
          expect(value).toMatch(/^(?:DMI-ALLOWED|0)$/i);
        }
      }),
    );
  });
});
