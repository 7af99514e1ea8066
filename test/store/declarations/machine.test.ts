/** Transitions that prevent a second declaration, one rule at a time. */
import { describe, expect, it } from 'vitest';
import { SigningKey } from '../../../src/platform/signing/key.js';
import { declarableContent } from '../../../src/services/store/declarations/declared-content.js';
import { declarationNote, type Note } from '../../../src/services/store/declarations/iscc-note.js';
import { next } from '../../../src/services/store/declarations/machine.js';
import {
  type Event,
  NOTE_EXPIRED_MS,
  NOTE_FRESH_MS,
  type State,
  type Uncertainty,
} from '../../../src/services/store/declarations/state.js';
import { indexedBinding } from '../support/fixtures.js';
import { A } from './assets.js';

const NOW = Date.parse('2026-11-22T12:00:00.000Z');
const GATEWAY = 'https://store.example/v1/manifests/a';
const key = new SigningKey(Buffer.alloc(32, 3));
const signer = { key, controller: 'did:web:store.example', hubId: 1 };

function noteOf(signedAt: number): Note {
  const content = declarableContent([indexedBinding('io.iscc.v0', A.binding)]);
  if (content === undefined) throw new Error('nothing to declare');
  return declarationNote(content, GATEWAY, '0.8.0', signer, signedAt);
}

function state(change: Partial<State> = {}): State {
  return {
    status: 'pending',
    live: true,
    gateway: GATEWAY,
    note: undefined,
    forced: false,
    uncertainty: undefined,
    isccId: undefined,
    pubkey: key.publicKey,
    error: undefined,
    step: { at: 'rest' },
    ...change,
  };
}

const begin = (change: Partial<Extract<Event, { type: 'begin' }>> = {}): Event => ({
  type: 'begin',
  now: NOW,
  pubkey: key.publicKey,
  blocked: false,
  successor: false,
  ...change,
});

describe('the beginning of an attempt', () => {
  it.each([
    ['now', 0, 'send'],
    ['almost too old', NOTE_FRESH_MS - 1, 'send'],
    ['too old', NOTE_FRESH_MS, 'sign'],
    ['in the future, because the clock was set back', -NOTE_FRESH_MS, 'sign'],
  ])('with a note signed %s', (_, age, effect) => {
    const [, effects] = next(state({ note: noteOf(NOW - age) }), begin());
    expect(effects.map(({ type }) => type)).toEqual([effect]);
  });

  it('waits while an earlier declaration of the same address is unfinished', () => {
    const [after, effects] = next(state(), begin({ blocked: true }));
    expect(effects).toEqual([]);
    expect(after).toMatchObject({ status: 'pending', error: expect.stringContaining('earlier declaration') });
  });

  it('leaves the declaration of a deleted manifest to its successor', () => {
    const deleted = state({ status: 'declared', live: false, isccId: 'ISCC:MAIWMDAMBQSYSEAB' });
    const [after, effects] = next(deleted, begin({ successor: true }));
    expect(effects).toEqual([]);
    expect(after).toMatchObject({ status: 'skipped', isccId: undefined });
    expect(next(deleted, begin())[1].map(({ type }) => type)).toEqual(['withdraw']);
  });
});

describe('the uncertainty of several withdrawals', () => {
  it.each([
    ['an earlier one that expires later', NOW + 60 * 60_000, NOW + 60 * 60_000],
    ['an earlier one that expires before', NOW, NOW + NOTE_EXPIRED_MS],
  ])('lasts until the last has expired, after %s', (_, earlier, until) => {
    const uncertainty = { nonce: undefined, pubkey: key.publicKey, forced: false, until: earlier };
    const deleted = {
      status: 'declared',
      live: false,
      isccId: 'ISCC:MAIWMDAMBQSYSEAB',
      uncertainty,
    } as const;
    const [after, effects] = next(state(deleted), begin());
    expect(effects.map(({ type }) => type)).toEqual(['withdraw']);
    expect(after.uncertainty?.until).toBe(until);
  });
});

describe('the uncertainty of several sends', () => {
  /** The state while a fresh note is sent, after an earlier send without a definite answer. */
  function sending(before: Partial<Uncertainty>, change: Partial<State> = {}): Uncertainty | undefined {
    const note = noteOf(NOW);
    const uncertainty = { nonce: 'other', pubkey: key.publicKey, forced: false, until: 0, ...before };
    const [after] = next(state({ note, uncertainty, ...change }), begin());
    return after.uncertainty;
  }

  it('lasts until the last of them has expired', () => {
    expect(sending({ until: NOW + 60 * 60_000 })?.until).toBe(NOW + 60 * 60_000);
    expect(sending({ until: NOW })?.until).toBe(NOW + NOTE_EXPIRED_MS);
  });

  it('remembers that one of them was forced', () => {
    expect(sending({ forced: true })?.forced).toBe(true);
    expect(sending({ forced: false }, { forced: true })?.forced).toBe(true);
    expect(sending({ forced: false })?.forced).toBe(false);
  });

  it('has a nonce only if all of them sent the same note', () => {
    const note = noteOf(NOW);
    expect(sending({ nonce: note.nonce }, { note })?.nonce).toBe(note.nonce);
    expect(sending({})?.nonce).toBeUndefined();
  });
});
