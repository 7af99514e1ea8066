/** Interpretation of responses recorded from the hub of August 2025 and a double of version 0.8.0. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  declareAnswer,
  type HttpAnswer,
  lookupAnswer,
  resolveAnswer,
  withdrawAnswer,
} from '../../../src/services/store/declarations/hub-answers.js';

interface Exchange {
  dialect: string;
  name: string;
  request: { method: string; path: string };
  response: { status: number; body: unknown };
}

const file = new URL('../../fixtures/c2pa/vectors/hub-exchanges.json', import.meta.url);
const { exchanges } = JSON.parse(readFileSync(file, 'utf8')) as { exchanges: Exchange[] };

/** Expected results of the dialect 2025-08, by exchange. */
const EXPECTED: Readonly<Record<string, string>> = {
  declare: 'accepted',
  'same note again (duplicate datahash)': 'duplicate',
  'same note again with force (nonce reuse)': 'nonce-used',
  'same content, new note, forced': 'accepted',
  'semantic unit too': 'accepted',
  'data and instance only': 'accepted',
  'no timestamp': 'refused',
  'units missing': 'accepted',
  '64-bit content unit': 'accepted',
  'no controller': 'accepted',
  'other dialect': 'other-dialect',
  'delete by another key': 'unanswered',
  'delete with id mismatch': 'unanswered',
  delete: 'unanswered',
  'delete again': 'unanswered',
  'delete unknown': 'unanswered',
  'declare again after delete': 'duplicate',
  'resolve deleted': 'no-route',
  'lookup by datahash': 'no-route',
};

const EXPECTED_0_8_0: Readonly<Record<string, string>> = {
  ...EXPECTED,
  'same note again (duplicate datahash)': 'nonce-used',
  'no timestamp': 'accepted',
  'units missing': 'refused',
  '64-bit content unit': 'refused',
  'no controller': 'refused',
  'delete by another key': 'refused',
  'delete with id mismatch': 'refused',
  delete: 'withdrawn',
  'delete again': 'withdrawn',
  'delete unknown': 'withdrawn',
  'resolve deleted': 'records',
  'lookup by datahash': 'records',
};

const calls = exchanges.filter(({ name }) => name !== 'health' && name !== 'did document');

describe.each(['2025-08', '0.8.0'])('hub %s', (dialect) => {
  const expected = dialect === '0.8.0' ? EXPECTED_0_8_0 : EXPECTED;
  it.each(calls.filter((exchange) => exchange.dialect === dialect))(
    '$name',
    ({ name, request, response }) => {
      const answer = read(request, httpAnswer(response));
      expect(answer.type).toBe(expected[name] ?? 'refused');
    },
  );

  it('returns the ISCC-ID, or the existing one and its signer', () => {
    const of = (name: string) => {
      const found = calls.find((exchange) => exchange.dialect === dialect && exchange.name === name);
      if (found === undefined) throw new Error(`no exchange ${name}`);
      return declareAnswer(httpAnswer(found.response));
    };
    expect(of('declare')).toEqual({ type: 'accepted', isccId: expect.stringMatching(/^ISCC:MAIWMDAM/) });
    expect(of('declare again after delete')).toEqual({
      type: 'duplicate',
      existing: expect.stringMatching(/^ISCC:MAIWMDAM/),
      actor: 'z6MkkMgaPZSe7fQboJrpmjTL3y8w9X5c15FuYNMRWRNHW2j6',
    });
  });
});

describe('responses that decide nothing', () => {
  const error = (code: string, message = '') => JSON.stringify({ error: { code, message } });
  it.each([
    ['an empty 201', 201, '', true],
    ['a 201 with another id', 201, '{"iscc_id":"ISCC:EAD2RASIYU5IKLEN"}', true],
    ['an HTML page', 200, '<html>', true],
    ['a redirect', 302, '', true],
    ['an HTML page with 404', 404, '<html>', true],
    ['an error of a proxy', 502, 'Bad Gateway', true],
    ['an internal error', 500, error('error'), true],
    ['an unresolvable controller', 503, error('did_unresolvable'), false],
    ['too many requests', 429, error('rate_limited'), false],
  ])('%s', (_, status, text, uncertain) => {
    expect(declareAnswer({ status, text })).toMatchObject({ type: 'unanswered', uncertain });
  });

  it.each([200, 202, 302, 404, 500])('a withdrawal that gets an HTML page with %s', (status) => {
    expect(withdrawAnswer({ status, text: '<html>' }).type).toBe('unanswered');
  });

  it('an unsupported schema is a refusal, not another dialect', () => {
    const text = error('validation_failed', 'Unsupported $schema: http://example.org');
    expect(declareAnswer({ status: 422, text }).type).toBe('refused');
  });
});

function httpAnswer({ status, body }: Exchange['response']): HttpAnswer {
  return { status, text: typeof body === 'string' ? body : body === null ? '' : JSON.stringify(body) };
}

function read({ method, path }: Exchange['request'], answer: HttpAnswer): { type: string } {
  if (method === 'POST') return declareAnswer(answer);
  if (method === 'DELETE') return withdrawAnswer(answer);
  return path.startsWith('/lookup') ? lookupAnswer(answer) : resolveAnswer(answer);
}
