/** Transitions of the state machine before and after answers of a hub. Each row says what changes, and what is done next. */
import { describe, expect, it } from 'vitest';
import { next } from '../../../src/services/store/declarations/machine.js';
import { onTombstone } from '../../../src/services/store/declarations/on-delete.js';
import {
  type Effect,
  type Event,
  isOpen,
  type State,
  type Status,
  type Uncertainty,
} from '../../../src/services/store/declarations/state.js';
import {
  declare,
  expectNext,
  expired,
  ID,
  LOOKUP,
  lookingUp,
  lost,
  NOW,
  noRoute,
  note,
  postponed,
  publicKey,
  REST,
  send,
  sending,
  several,
  signAgain,
  signing,
  stateOf,
  uncertainty,
} from './states.js';

describe('at the beginning', () => {
  const begin = (change: object = {}): Event => ({
    type: 'begin',
    now: NOW,
    pubkey: publicKey,
    blocked: false,
    successor: false,
    ...change,
  });
  const other = { pubkey: 'z6MkOther' };
  const gone = { live: false, uncertainty: undefined };
  type Row = readonly [string, Partial<State>, object, Partial<State>, readonly Effect[]];
  const rows: readonly Row[] = [
    ['declared: nothing', { status: 'declared' }, {}, {}, []],
    ['disabled: nothing', { status: 'disabled' }, {}, {}, []],
    ['skipped: nothing', { status: 'skipped' }, { blocked: true }, {}, []],
    [
      'failed: sends the note',
      { status: 'failed' },
      {},
      { uncertainty: uncertainty, step: sending(declare) },
      [send(false)],
    ],
    [
      'forced: forces the note',
      { forced: true },
      {},
      { uncertainty: { ...uncertainty, forced: true }, step: sending(declare) },
      [send(true)],
    ],
    ['without a note: signs one', { note: undefined }, {}, { step: signing(false) }, [signAgain()]],
    ['a note of another key: signs one', {}, other, { step: signing(false) }, [signAgain()]],
    [
      'an uncertain send: signs one',
      { note: undefined, uncertainty: several },
      {},
      { step: signing(false) },
      [signAgain()],
    ],
    [
      'an uncertain forced send: looks up',
      { note: undefined, uncertainty: expired },
      {},
      { step: lookingUp('unsettled') },
      [LOOKUP],
    ],
    [
      'an uncertain send of another key: looks up',
      { uncertainty: several },
      other,
      { step: lookingUp('unsettled') },
      [LOOKUP],
    ],
    ['deleted, disabled: nothing', { ...gone, status: 'disabled' }, {}, {}, []],
    ['deleted, withdrawn: nothing', { ...gone, status: 'withdrawn' }, {}, {}, []],
    ['deleted, pending: skips', gone, {}, { status: 'skipped', error: undefined }, []],
    [
      'deleted, failed: skips',
      { ...gone, status: 'failed' },
      {},
      { status: 'skipped', error: undefined },
      [],
    ],
    [
      'deleted, uncertain: looks up',
      { live: false, uncertainty: uncertainty },
      {},
      { step: lookingUp('deleted') },
      [LOOKUP],
    ],
    [
      'deleted, skipped but uncertain: looks up',
      { live: false, status: 'skipped', uncertainty: uncertainty },
      {},
      { step: lookingUp('deleted') },
      [LOOKUP],
    ],
    [
      'deleted, declared without an ISCC-ID',
      { ...gone, status: 'declared' },
      {},
      { error: 'the ISCC-ID is unknown' },
      [],
    ],
    [
      'deleted, declared by another key',
      { ...gone, status: 'declared', isccId: ID },
      other,
      { error: `only the key ${publicKey}, which declared it, can withdraw it` },
      [],
    ],
    [
      'deleted, declared: withdraws',
      { ...gone, status: 'declared', isccId: ID },
      {},
      { uncertainty: several, step: { at: 'withdrawing', before: undefined } },
      [{ type: 'withdraw', isccId: ID }],
    ],
    [
      'deleted, with a successor: hands over',
      { live: false, status: 'declared', isccId: ID, uncertainty: expired },
      { successor: true },
      { status: 'skipped', isccId: undefined, uncertainty: undefined, error: undefined },
      [],
    ],
    [
      'deleted, with a successor, while a withdrawal may arrive: waits',
      { live: false, status: 'declared', isccId: ID, uncertainty: { ...several, until: NOW } },
      { successor: true },
      {
        error:
          'a withdrawal may still reach the hub; the restored manifest is declared when the hub refuses it as too old',
      },
      [],
    ],
  ];
  it.each(rows)('%s', (_, before, event, change, effects) => {
    expectNext(stateOf(before), begin(event), change, effects);
  });

  it('waits for an earlier declaration of the same address', () => {
    const error = 'waiting for an earlier declaration of the same address to finish';
    expectNext(stateOf({ status: 'failed' }), begin({ blocked: true }), postponed(error), []);
  });
});

describe('with a signed note', () => {
  it.each([
    [false, false],
    [true, false],
    [true, true],
  ])('forced %s, in the other dialect %s: sends it', (forced, switched) => {
    const before = stateOf({ note: undefined, pubkey: undefined, step: signing(forced, switched) });
    const change = { note, pubkey: publicKey, forced, uncertainty: { ...uncertainty, forced } };
    const step = sending(declare, undefined, switched);
    expectNext(before, { type: 'signed', note }, { ...change, step }, [send(forced)]);
  });
});

describe('after a withdrawal was sent', () => {
  type Row = readonly [string, Extract<Event, { type: 'withdrawal-sent' }>['answer'], Partial<State>];
  const rows: readonly Row[] = [
    ['withdrawn', { type: 'withdrawn' }, { status: 'withdrawn', uncertainty: undefined, error: undefined }],
    ['refused', { type: 'refused', reason: 'no' }, { uncertainty: expired, error: 'no' }],
    ['no answer', lost, { error: 'lost' }],
    ['not sent', { ...lost, uncertain: false }, { uncertainty: expired, error: 'lost' }],
  ];
  it.each(rows)('%s', (_, answer, change) => {
    const step = { at: 'withdrawing', before: expired } as const;
    const before = stateOf({ status: 'declared', live: false, uncertainty: several, step });
    expectNext(before, { type: 'withdrawal-sent', answer }, { ...change, step: REST }, []);
  });
});

describe('an event that the step does not expect', () => {
  it.each<Event>([
    { type: 'signed', note },
    { type: 'sent', answer: { type: 'nonce-used' }, owner: 'none', now: NOW },
    { type: 'resolved', answer: noRoute, now: NOW },
    { type: 'looked-up', answer: noRoute, now: NOW, successor: false },
    { type: 'withdrawal-sent', answer: { type: 'withdrawn' } },
  ])('is an error: $type', (event) => {
    expect(() => next(stateOf({}), event)).toThrow(`${event.type} while rest`);
  });

  it('is an error without a note', () => {
    const before = stateOf({ note: undefined, step: sending(declare) });
    const event = { type: 'sent', answer: { type: 'nonce-used' }, owner: 'none', now: NOW } as const;
    expect(() => next(before, event)).toThrow('the state has no note');
  });
});

describe('a row', () => {
  const open: readonly (readonly [Status, boolean, Uncertainty | undefined, boolean])[] = [
    ['pending', true, undefined, true],
    ['failed', false, undefined, true],
    ['declared', true, several, false],
    ['declared', false, undefined, true],
    ['skipped', true, undefined, false],
    ['skipped', false, several, true],
    ['disabled', false, several, false],
    ['withdrawn', false, several, false],
  ];
  it.each(open)('%s, live %s, with %j is open: %s', (status, live, uncertainty, expected) => {
    expect(isOpen(stateOf({ status, live, uncertainty }))).toBe(expected);
  });

  const settled = { status: 'skipped', open: 0, error: null };
  it.each([
    ['pending', null, null, settled],
    ['failed', null, null, settled],
    ['pending', '{}', null, { open: 1 }],
    ['failed', null, 'a lease', { open: 1 }],
    ['declared', null, null, { open: 1 }],
    ['skipped', '{}', null, {}],
    ['disabled', null, null, {}],
    ['withdrawn', null, null, {}],
  ] as const)(
    '%s with uncertainty %j and lease %j changes at a delete: %j',
    (status, uncertainty, lease, change) => {
      expect(onTombstone({ status, uncertainty, lease } as Parameters<typeof onTombstone>[0])).toEqual(
        change,
      );
    },
  );
});
