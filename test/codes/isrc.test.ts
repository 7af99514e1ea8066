import { describe, expect, it } from 'vitest';
import { canonicalize } from '../../src/platform/signing/jcs.js';
import {
  compactIsrc,
  ISRC_CONTEXT,
  ISRC_SCHEMA,
  linkedIsrc,
  parseIsrc,
  SeedInvalid,
  seedDataUrl,
} from '../../src/services/codes/seed/isrc.js';

const record = {
  track_title: 'Näkymätön',
  $schema: ISRC_SCHEMA,
  isrc: 'FI-UM7-14-00123',
  main_artist: 'A. Artist',
  version_title: '',
  duration: 213,
  content_type: 'sound',
  pubdate: '20140301',
};

function problems(change: object): readonly string[] {
  try {
    parseIsrc({ ...record, ...change });
  } catch (error) {
    if (error instanceof SeedInvalid) return error.problems;
    throw error;
  }
  return [];
}

describe('ISRC seed metadata', () => {
  it('is wrapped as a Data-URL of canonical JSON', () => {
    const url = seedDataUrl(parseIsrc(record));
    const [head, data] = url.split(',');
    expect(head).toBe('data:application/json;base64');
    const text = Buffer.from(data ?? '', 'base64').toString();
    expect(text.startsWith(`{"$schema":"${ISRC_SCHEMA}","content_type":"sound","duration":213,"isrc"`)).toBe(
      true,
    );
    expect(JSON.parse(text)).toEqual(record);
  });

  it('gives the same Data-URL for any order of keys', () => {
    const reversed = Object.fromEntries(Object.entries(record).reverse());
    expect(seedDataUrl(parseIsrc(reversed))).toBe(seedDataUrl(parseIsrc(record)));
  });

  it('converts between the compact and the JSON-LD form', () => {
    const linked = linkedIsrc(parseIsrc(record));
    expect(linked['@context']).toBe(ISRC_CONTEXT);
    expect(seedDataUrl(linked)).toMatch(/^data:application\/ld\+json;base64,/);
    expect(compactIsrc(parseIsrc(linked))).toEqual(record);
  });

  it.each([
    ['isrc', { isrc: 'fi-UM7-14-00123' }],
    ['isrc', { isrc: 'FI-UM7-14-00123\n' }],
    ['main_artist', { main_artist: 'x'.repeat(101) }],
    ['track_title', { track_title: undefined }],
    ['version_title', { version_title: 7 }],
    ['duration', { duration: 1.5 }],
    ['duration', { duration: '213' }],
    ['content_type', { content_type: 'text' }],
    ['pubdate', { pubdate: '2014-03-01' }],
    ['$schema', { $schema: 'http://purl.org/iscc/schema/isrc.json' }],
    ['@type', { '@type': 'Recording' }],
    ['@context', { '@context': 'not a uri' }],
  ])('reports %s if it is invalid', (field, change) => {
    const found = problems(change);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(new RegExp(`^${field.replace(/[$@]/g, '\\$&')}: `));
  });

  it('reports one problem per invalid field', () => {
    expect(problems({ isrc: 1, duration: 'x', pubdate: null })).toHaveLength(3);
  });

  it('counts characters, not UTF-16 units', () => {
    expect(problems({ main_artist: '🎵'.repeat(100) })).toEqual([]);
  });
});

describe('canonical JSON', () => {
  it('matches the examples of RFC 8785', () => {
    const value = {
      '€': 'Euro Sign',
      '\r': 'Carriage Return',
      '1': 'One',
      '😀': 'Smiley',
      ö: 'o',
      numbers: [JSON.parse('333333333.33333329'), 1e30, 4.5, 2e-3, 1e-27],
    };
    expect(canonicalize(value)).toBe(
      '{"\\r":"Carriage Return","1":"One","numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"ö":"o","€":"Euro Sign","😀":"Smiley"}',
    );
  });

  it('rejects values that JSON can not represent', () => {
    expect(() => canonicalize('\ud800')).toThrow(RangeError);
    expect(() => canonicalize(Number.NaN)).toThrow(RangeError);
  });
});
