/** Transitions of the state machine after a note was sent, or an ISCC-ID resolved. Each row says what changes, and what is done next. */
import { describe, it } from 'vitest';
import type {
  DeclarationStep,
  Effect,
  Event,
  Owner,
  State,
} from '../../../src/services/store/declarations/state.js';
import {
  declare,
  declared,
  expectNext,
  expired,
  failed,
  foreign,
  ID,
  inquire,
  LOOKUP,
  lookingUp,
  lost,
  mine,
  NOW,
  noRoute,
  OTHER_ID,
  oldNote,
  postponed,
  probe,
  publicKey,
  REST,
  records,
  refused,
  send,
  sending,
  several,
  signAgain,
  signing,
  stateOf,
  UNKNOWN,
  uncertainty,
} from './states.js';

describe('after a send', () => {
  const unanswered = (uncertain: boolean) =>
    ({ type: 'unanswered', reason: 'lost', uncertain, unreachable: true }) as const;
  const duplicate = (existing?: string, actor?: string) => ({ type: 'duplicate', existing, actor }) as const;
  const dialect = { type: 'other-dialect', reason: 'unknown $schema' } as const;
  const twice = 'the hub refuses duplicates, even forced ones';
  const refusal = { type: 'refused', reason: 'no' } as const;
  type Answer = Extract<Event, { type: 'sent' }>['answer'];
  type Row = readonly [
    string,
    Partial<State>,
    DeclarationStep,
    Answer,
    Owner,
    Partial<State>,
    readonly Effect[],
  ];
  const resolving = (owner: Owner): DeclarationStep => ({
    at: 'resolving',
    existing: ID,
    actor: publicKey,
    owner,
  });
  const resolve: Effect = { type: 'resolve', isccId: ID };
  const rows: readonly Row[] = [
    [
      'accepted',
      {},
      sending(declare),
      { type: 'accepted', isccId: ID },
      'none',
      { ...declared, isccId: ID },
      [],
    ],
    ['no answer', {}, sending(declare), unanswered(true), 'none', postponed('lost'), []],
    [
      'not sent',
      {},
      sending(declare),
      unanswered(false),
      'none',
      { ...postponed('lost'), uncertainty: undefined },
      [],
    ],
    ['refused', {}, sending(declare), refusal, 'none', { ...refused('no'), uncertainty: undefined }, []],
    [
      'refused after an uncertain send',
      { forced: true },
      sending(declare, several),
      refusal,
      'none',
      { ...failed('no'), uncertainty: several },
      [],
    ],
    [
      'a duplicate of ours',
      {},
      sending(declare),
      duplicate(ID, publicKey),
      'none',
      { uncertainty: undefined, step: resolving('none') },
      [resolve],
    ],
    [
      'a duplicate that may be another’s',
      {},
      sending(declare),
      duplicate(ID, publicKey),
      'unsure',
      { uncertainty: undefined, step: resolving('unsure') },
      [resolve],
    ],
    [
      'a duplicate of another manifest',
      {},
      sending(declare),
      duplicate(ID, publicKey),
      'other',
      { uncertainty: undefined, step: lookingUp('duplicate') },
      [LOOKUP],
    ],
    [
      'a duplicate of another key',
      {},
      sending(declare),
      duplicate(ID, 'z6MkOther'),
      'none',
      { uncertainty: undefined, step: lookingUp('duplicate') },
      [LOOKUP],
    ],
    [
      'a duplicate without a key',
      {},
      sending(declare),
      duplicate(ID),
      'none',
      { uncertainty: undefined, step: lookingUp('duplicate') },
      [LOOKUP],
    ],
    [
      'a duplicate without an ISCC-ID',
      {},
      sending(declare),
      duplicate(undefined, publicKey),
      'none',
      { uncertainty: undefined, step: lookingUp('duplicate') },
      [LOOKUP],
    ],
    [
      'a duplicate of a forced note',
      { forced: true },
      sending(declare),
      duplicate(ID, publicKey),
      'none',
      { ...refused(twice), uncertainty: undefined },
      [],
    ],
    [
      'an inquiry that finds it',
      {},
      sending(inquire),
      duplicate(ID, publicKey),
      'none',
      { ...declared, isccId: ID },
      [],
    ],
    [
      'an inquiry that finds another’s',
      {},
      sending(inquire),
      duplicate(ID, publicKey),
      'unsure',
      { ...failed(UNKNOWN), uncertainty: undefined },
      [],
    ],
    [
      'an inquiry that finds another key',
      {},
      sending(inquire),
      duplicate(ID, 'z6MkOther'),
      'none',
      { ...failed(UNKNOWN), uncertainty: undefined },
      [],
    ],
    [
      'an inquiry without an ISCC-ID',
      {},
      sending(inquire),
      duplicate(undefined, publicKey),
      'none',
      { ...failed(UNKNOWN), uncertainty: undefined },
      [],
    ],
    [
      'a used nonce',
      {},
      sending(declare),
      { type: 'nonce-used' },
      'none',
      { step: lookingUp('nonce-used') },
      [LOOKUP],
    ],
    [
      'a used nonce of a probe',
      {},
      sending(probe),
      { type: 'nonce-used' },
      'none',
      { ...declared, isccId: OTHER_ID },
      [],
    ],
    ['a used nonce of an inquiry', {}, sending(inquire), { type: 'nonce-used' }, 'none', failed(UNKNOWN), []],
    [
      'the other dialect',
      {},
      sending(declare),
      dialect,
      'none',
      { uncertainty: undefined, step: signing(false, true) },
      [signAgain('2025-08')],
    ],
    [
      'the other dialect, the other way',
      { note: oldNote },
      sending(declare),
      dialect,
      'none',
      { uncertainty: undefined, step: signing(false, true) },
      [signAgain('0.8.0')],
    ],
    [
      'the other dialect, forced',
      { forced: true },
      sending(declare),
      dialect,
      'none',
      { uncertainty: undefined, step: signing(true, true) },
      [signAgain('2025-08')],
    ],
    [
      'the other dialect, twice',
      {},
      sending(declare, undefined, true),
      dialect,
      'none',
      { ...refused('unknown $schema'), uncertainty: undefined },
      [],
    ],
    [
      'the other dialect, of a note that was sent before',
      { forced: true },
      sending(declare, { ...uncertainty, forced: true }),
      dialect,
      'none',
      { uncertainty: undefined, step: signing(false, true) },
      [signAgain('2025-08')],
    ],
    [
      'the other dialect, after other sends',
      { forced: true },
      sending(declare, several),
      dialect,
      'none',
      { uncertainty: several, step: signing(false, true) },
      [signAgain('2025-08')],
    ],
    [
      'the other dialect, after forced ones',
      {},
      sending(declare, expired),
      dialect,
      'none',
      { uncertainty: expired, step: lookingUp('unsettled') },
      [LOOKUP],
    ],
    [
      'the other dialect, after the delete',
      { live: false },
      sending(declare),
      dialect,
      'none',
      { uncertainty: undefined, step: REST },
      [],
    ],
  ];
  it.each(rows)('%s', (_, before, step, answer, owner, change, effects) => {
    const state = stateOf({ uncertainty: uncertainty, ...before, step });
    expectNext(state, { type: 'sent', answer, owner, now: NOW }, change, effects);
  });
});

describe('after an ISCC-ID was resolved', () => {
  type Row = readonly [
    string,
    Owner,
    Partial<State>,
    Extract<Event, { type: 'resolved' }>['answer'],
    Partial<State>,
    readonly Effect[],
  ];
  const rows: readonly Row[] = [
    ['ours', 'none', {}, records(...foreign, mine), { ...declared, isccId: ID }, []],
    ['another’s', 'none', {}, records(...foreign), { step: lookingUp('duplicate') }, [LOOKUP]],
    ['no answer', 'none', {}, lost, postponed('lost'), []],
    ['no route', 'none', {}, noRoute, { step: signing(true) }, [signAgain()]],
    ['no route, with a predecessor', 'predecessor', {}, noRoute, failed(UNKNOWN), []],
    [
      'no route, of the uncertain note',
      'none',
      { uncertainty: uncertainty },
      noRoute,
      {
        forced: true,
        uncertainty: { ...uncertainty, forced: true },
        step: sending({ type: 'probe', existing: ID }, uncertainty),
      },
      [send(true)],
    ],
    [
      'no route, of one of several sends',
      'none',
      { uncertainty: several },
      noRoute,
      { ...declared, isccId: ID },
      [],
    ],
    [
      'no route, of one of several sends, unsure',
      'unsure',
      { uncertainty: several },
      noRoute,
      failed(UNKNOWN),
      [],
    ],
  ];
  it.each(rows)('%s', (_, owner, before, answer, change, effects) => {
    const step = { at: 'resolving', existing: ID, actor: publicKey, owner } as const;
    expectNext(stateOf({ ...before, step }), { type: 'resolved', answer, now: NOW }, change, effects);
  });

  it('knows its declaration by the key of an uncertain send', () => {
    const uncertainty = { ...several, pubkey: 'z6MkEarlier' };
    const step = { at: 'resolving', existing: ID, actor: publicKey, owner: 'none' } as const;
    const answer = records({ ...mine, pubkey: 'z6MkEarlier' });
    const change = { ...declared, isccId: ID, pubkey: 'z6MkEarlier' };
    expectNext(
      stateOf({ note: undefined, uncertainty, step }),
      { type: 'resolved', answer, now: NOW },
      change,
      [],
    );
  });
});
