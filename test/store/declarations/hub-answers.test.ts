/** Each rule by which responses of a hub are interpreted, on both sides of its border. */
import { describe, expect, it } from 'vitest';
import {
  declareAnswer,
  lookupAnswer,
  resolveAnswer,
  withdrawAnswer,
} from '../../../src/services/store/declarations/hub-answers.js';

const ID = 'ISCC:MAIWMDAMBQSYSEAB';
const PUBKEY = 'z6MkkMgaPZSe7fQboJrpmjTL3y8w9X5c15FuYNMRWRNHW2j6';
const GATEWAY = 'https://store.example/x';

const answer = (status: number, body: unknown) => ({ status, text: JSON.stringify(body) });
const error = (code: unknown, message?: unknown, more: object = {}) => ({
  error: { code, message, ...more },
});

const unanswered = (reason: string, uncertain = true) => ({
  type: 'unanswered',
  reason,
  uncertain,
  unreachable: false,
});
const refused = (reason: string) => ({ type: 'refused', reason });

describe('the response to a declaration', () => {
  it.each([
    [200, { iscc_id: ID }],
    [201, { iscc_id: ID }],
    [201, { credentialSubject: { declaration: { iscc_id: ID } } }],
  ])('%i with %j accepts it', (status, body) => {
    expect(declareAnswer(answer(status, body))).toEqual({ type: 'accepted', isccId: ID });
  });

  it.each([
    [201, { iscc_id: 'ISCC:EAD2RASIYU5IKLEN' }],
    [200, { credentialSubject: { declaration: null } }],
    [201, { credentialSubject: ID }],
    [201, null],
    [200, error('duplicate_declaration')],
  ])('%i with %j has no ISCC-ID', (status, body) => {
    expect(declareAnswer(answer(status, body))).toEqual(unanswered(`${status}: no ISCC-ID in the response`));
  });

  it.each([
    [202, { iscc_id: ID }],
    [400, { message: 'no', code: 'no' }],
    [400, { error: 'no' }],
    [400, error(undefined, 'no')],
    [400, error(7, 'no')],
    [400, 'error'],
  ])('%i with %j is not a hub’s', (status, body) => {
    expect(declareAnswer(answer(status, body))).toEqual(unanswered(`${status}: not a hub’s response`));
  });

  it.each([
    [500, 'duplicate_declaration', true],
    [503, 'nonce_reuse', true],
    [429, 'duplicate_declaration', false],
    [503, 'did_unresolvable', false],
  ])('%i with the code %s decides nothing', (status, code, uncertain) => {
    const text = `${status} ${code}: later`;
    expect(declareAnswer(answer(status, error(code, 'later')))).toEqual(unanswered(text, uncertain));
  });

  it.each([
    [
      { existing_iscc_id: ID, existing_actor: PUBKEY },
      { existing: ID, actor: PUBKEY },
    ],
    [{ existing_iscc_id: 'x', existing_actor: 7 }, {}],
    [{}, {}],
  ])('of a duplicate with %j names %j', (more, known) => {
    expect(declareAnswer(answer(409, error('duplicate_declaration', '', more)))).toEqual({
      type: 'duplicate',
      existing: undefined,
      actor: undefined,
      ...known,
    });
  });

  it('says that the nonce was used', () => {
    expect(declareAnswer(answer(400, error('nonce_reuse')))).toEqual({ type: 'nonce-used' });
  });

  it.each([
    ['validation_failed', 'Unknown fields not allowed: $schema', 'other-dialect'],
    ['validation_failed', 'Missing required field: $schema', 'other-dialect'],
    ['validation_failed', 'missing $schema', 'other-dialect'],
    ['validation_failed', 'The $schema is missing: $schema', 'refused'],
    ['validation_failed', 'Unknowns: $schema', 'refused'],
    ['validation_failed', 'Missing required field: schema', 'refused'],
    ['validation_failed', 'Invalid $schema', 'refused'],
    ['invalid_format', 'Missing required field: $schema', 'refused'],
  ])('with %s: %s is %s', (code, message, type) => {
    const reason = `422 ${code}: ${message}`;
    expect(declareAnswer(answer(422, error(code, message)))).toEqual({ type, reason });
  });

  it.each([
    [400, refused('400 x: no')],
    [499, refused('499 x: no')],
    [399, unanswered('399: 399 x: no')],
    [302, unanswered('302: 302 x: no')],
  ])('with another error and %i', (status, expected) => {
    expect(declareAnswer(answer(status, error('x', 'no')))).toEqual(expected);
  });

  it.each([
    ['a message on several lines', error('x', 'a\r\n\tb\u0085c'), '400 x: a b c'],
    ['a long message', error('x', 'y'.repeat(600)), `400 x: ${'y'.repeat(493)}`],
    ['no message', error('x'), '400 x: '],
    ['a message that is not a text', error('x', 7), '400 x: '],
  ])('with %s becomes one short line', (_, body, reason) => {
    expect(declareAnswer(answer(400, body))).toEqual(refused(reason));
  });
});

describe('the response to a withdrawal', () => {
  it.each([
    [204, null],
    [404, error('not_found', 'Declaration already deleted: x')],
    [404, error('not_found', 'Declaration not found: x')],
    [404, error('not_found', 'Not Found')],
  ])('%i with %j confirms it', (status, body) => {
    expect(withdrawAnswer(answer(status, body))).toEqual({ type: 'withdrawn' });
  });

  it.each([
    [404, 'not_found', 'ISCC-ID mismatch'],
    [404, 'other', 'not found'],
    [410, 'not_found', 'not found'],
    [401, 'unauthorized', 'no'],
    [499, 'x', 'no'],
  ])('%i %s: %s refuses it', (status, code, message) => {
    expect(withdrawAnswer(answer(status, error(code, message)))).toEqual(
      refused(`${status} ${code}: ${message}`),
    );
  });

  it.each([
    [500, 'not_found', true],
    [502, 'x', true],
    [503, 'did_unresolvable', false],
    [429, 'x', false],
  ])('%i with the code %s decides nothing', (status, code, uncertain) => {
    const reason = `${status} ${code}: not found`;
    expect(withdrawAnswer(answer(status, error(code, 'not found')))).toEqual(unanswered(reason, uncertain));
  });

  it('without an error is not a hub’s', () => {
    expect(withdrawAnswer(answer(404, {}))).toEqual(unanswered('404: not a hub’s response'));
  });
});

const record = { iscc_id: ID, pubkey: PUBKEY, gateway: GATEWAY };
const found = { isccId: ID, pubkey: PUBKEY, gateway: GATEWAY };

describe('the list of declarations', () => {
  it.each([
    [200, [], []],
    [200, [record], [found]],
    [200, [{ ...record, gateway: null }, record], [{ ...found, gateway: undefined }, found]],
    [404, error('not_found', 'datahash not found'), []],
    [404, error('not_found', 'Declaration already deleted'), []],
  ])('%i with %j has the records %j', (status, body, records) => {
    expect(lookupAnswer(answer(status, body))).toEqual({ type: 'records', records });
  });

  it.each([
    [404, error('not_found', 'Not found')],
    [404, error('x', 'datahash not found')],
    [404, error('not_found', 'datahash unknown')],
    [404, []],
    [405, error('x')],
    [501, null],
  ])('%i with %j says that there is no route', (status, body) => {
    expect(lookupAnswer(answer(status, body))).toEqual({ type: 'no-route' });
  });

  it.each([
    [200, [record, { ...record, pubkey: 7 }], '200: not a hub’s response'],
    [200, [{ ...record, iscc_id: 'x' }], '200: not a hub’s response'],
    [200, { ...record, length: 0 }, '200: not a hub’s response'],
    [200, [null], '200: not a hub’s response'],
    [201, [record], '201: not a hub’s response'],
    [410, error('not_found', 'datahash not found'), '410 not_found: datahash not found'],
    [500, error('x', 'broken'), '500 x: broken'],
  ])('%i with %j is no list', (status, body, reason) => {
    expect(lookupAnswer(answer(status, body))).toEqual(unanswered(reason));
  });
});

describe('the declaration of an ISCC-ID', () => {
  it.each([
    [200, record, [found]],
    [200, { iscc_id: ID, pubkey: PUBKEY }, [{ ...found, gateway: undefined }]],
    [404, error('not_found', 'Declaration not found: x'), []],
    [404, error('not_found', 'Already deleted'), []],
  ])('%i with %j has the records %j', (status, body, records) => {
    expect(resolveAnswer(answer(status, body))).toEqual({ type: 'records', records });
  });

  it.each([
    [404, null],
    [404, record],
    [404, error('x', 'not found')],
    [405, null],
    [501, error('x')],
  ])('%i with %j says that there is no route', (status, body) => {
    expect(resolveAnswer(answer(status, body))).toEqual({ type: 'no-route' });
  });

  it.each([
    [201, record, '201: not a hub’s response', true],
    [200, { iscc_id: ID }, '200: not a hub’s response', true],
    [200, { pubkey: PUBKEY }, '200: not a hub’s response', true],
    [200, [record], '200: not a hub’s response', true],
    [406, null, '406: not a hub’s response', true],
    [429, error('x', 'slow'), '429 x: slow', false],
  ])('%i with %j decides nothing', (status, body, reason, uncertain) => {
    expect(resolveAnswer(answer(status, body))).toEqual(unanswered(reason, uncertain));
  });
});

it('texts that are not JSON are not a hub’s responses', () => {
  const html = { status: 200, text: '<html>' };
  expect(declareAnswer(html)).toEqual(unanswered('200: no ISCC-ID in the response'));
  for (const read of [withdrawAnswer, lookupAnswer, resolveAnswer])
    expect(read(html)).toEqual(unanswered('200: not a hub’s response'));
});
