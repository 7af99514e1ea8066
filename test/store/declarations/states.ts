/** States, events and effects for tables of transitions. */
import { expect } from 'vitest';
import { SigningKey } from '../../../src/platform/signing/key.js';
import type { HubRecord } from '../../../src/services/store/declarations/hub-answers.js';
import { declarationNote } from '../../../src/services/store/declarations/iscc-note.js';
import { next } from '../../../src/services/store/declarations/machine.js';
import {
  type DeclarationStep,
  type Effect,
  type Event,
  type LookupReason,
  NOTE_EXPIRED_MS,
  type Purpose,
  type State,
  type Uncertainty,
} from '../../../src/services/store/declarations/state.js';

export const NOW = Date.parse('2026-11-22T12:00:00.000Z');
export const GATEWAY = 'https://store.example/v1/manifests/a';
export const ID = 'ISCC:MAIWMDAMBQSYSEAB';
export const OTHER_ID = 'ISCC:MAIWMDAMBRBC74AB';
export const UNKNOWN =
  'an earlier attempt may have been accepted, and the hub has no lookup to find its ISCC-ID';
export const WAITING =
  'an earlier attempt may still be accepted; the next one follows when the hub refuses it as too old';

const key = new SigningKey(Buffer.alloc(32, 3));
export const { publicKey } = key;
const signer = { key, controller: 'did:web:store.example', hubId: 1 };
const content = { isccCode: 'ISCC:K', datahash: '1e20', units: [] };
export const note = declarationNote(content, GATEWAY, '0.8.0', signer, NOW);
export const oldNote = declarationNote(content, GATEWAY, '2025-08', signer, NOW);

/** Of the note, not forced, until the hub refuses it. */
export const uncertainty: Uncertainty = {
  nonce: note.nonce,
  pubkey: publicKey,
  forced: false,
  until: NOW + NOTE_EXPIRED_MS,
};
export const several: Uncertainty = { ...uncertainty, nonce: undefined };
export const expired: Uncertainty = { ...several, forced: true, until: NOW - 1 };

export const REST: DeclarationStep = { at: 'rest' };
export const LOOKUP: Effect = { type: 'lookup' };
export const mine: HubRecord = { isccId: ID, pubkey: publicKey, gateway: GATEWAY };

export function stateOf(change: Partial<State>): State {
  return {
    status: 'pending',
    live: true,
    gateway: GATEWAY,
    note,
    forced: false,
    uncertainty: undefined,
    isccId: undefined,
    pubkey: publicKey,
    error: 'earlier',
    step: REST,
    ...change,
  };
}

/** Expects that exactly these members change, and these effects. */
export function expectNext(
  before: State,
  event: Event,
  change: Partial<State>,
  effects: readonly Effect[],
): void {
  expect(next(before, event)).toEqual([{ ...before, ...change }, effects]);
}

export const signing = (forced: boolean, switched = false): DeclarationStep => ({
  at: 'signing',
  forced,
  switched,
});
export const lookingUp = (reason: LookupReason): DeclarationStep => ({ at: 'looking-up', reason });
export const declare: Purpose = { type: 'declare' };
export const inquire: Purpose = { type: 'inquire' };
export const probe: Purpose = { type: 'probe', existing: OTHER_ID };
export const sending = (purpose: Purpose, before?: Uncertainty, switched = false): DeclarationStep => ({
  at: 'sending',
  purpose,
  before,
  switched,
});
export const send = (force: boolean): Effect => ({ type: 'send', note, force });
export const declared = { status: 'declared', uncertainty: undefined, error: undefined, step: REST } as const;
export const failed = (error: string) => ({ status: 'failed', error, step: REST }) as const;
export const refused = (error: string) => ({ ...failed(error), note: undefined, forced: false });
export const postponed = (error: string) => ({ status: 'pending', error, step: REST }) as const;
export const signAgain = (dialect?: '0.8.0' | '2025-08'): Effect =>
  dialect === undefined ? { type: 'sign' } : { type: 'sign', dialect };

export const foreign: readonly HubRecord[] = [
  { ...mine, gateway: 'https://elsewhere.example' },
  { ...mine, gateway: undefined },
  { ...mine, pubkey: 'z6MkOther' },
];
export const records = (...list: readonly HubRecord[]) => ({ type: 'records', records: list }) as const;
export const noRoute = { type: 'no-route' } as const;
export const lost = { type: 'unanswered', reason: 'lost', uncertain: true, unreachable: true } as const;
