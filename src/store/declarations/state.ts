/** The life of a declaration as data: states, what happens to it, and what it asks to be done. */
import type { DeclareAnswer, LookupAnswer, WithdrawAnswer } from './hub-answers.js';
import type { Dialect, Note } from './iscc-note.js';

export type Status = 'disabled' | 'skipped' | 'pending' | 'failed' | 'declared' | 'withdrawn';

/** One or more sends of notes that the hub may have accepted, or may accept yet: nobody knows. */
export interface Uncertainty {
  /** The note's nonce; `undefined` if there are several notes. */
  readonly nonce: string | undefined;
  readonly pubkey: string;
  /** One of them was forced: the hub would take it even though there is another declaration. */
  readonly forced: boolean;
  /** After this time (ms) the hub refuses them for their age. */
  readonly until: number;
}

/** What is kept of a declaration. Whatever is sent is in here, and stored, before it is sent. */
export interface State {
  readonly status: Status;
  /** `false` once the manifest is deleted: then what is declared has to be withdrawn. */
  readonly live: boolean;
  /** Where the manifest is; no two declarations in force may have the same. */
  readonly gateway: string;
  /** The last note that was signed. */
  readonly note: Note | undefined;
  /** The note was, or is to be, sent past the hub's check for duplicates. */
  readonly forced: boolean;
  readonly uncertainty: Uncertainty | undefined;
  readonly isccId: string | undefined;
  /** Of who declared. */
  readonly pubkey: string | undefined;
  /** For the operator: why it is not further. */
  readonly error: string | undefined;
  readonly step: Step;
}

/** What is waited for. Not stored: after a crash an attempt begins anew from the rest. */
export type Step =
  | { readonly at: 'rest' }
  | { readonly at: 'signing'; readonly forced: boolean; readonly switched: boolean }
  | {
      readonly at: 'sending';
      readonly purpose: Purpose;
      /** The uncertainty before this send, which is what remains if the answer is definite. */
      readonly before: Uncertainty | undefined;
      /** A dialect was tried in vain in this attempt. */
      readonly switched: boolean;
    }
  | {
      readonly at: 'resolving';
      readonly existing: string;
      readonly actor: string;
      readonly owner: Owner;
    }
  | { readonly at: 'looking-up'; readonly reason: LookupReason }
  | { readonly at: 'withdrawing' };

/**
 * Why a note is sent: to declare; or, at a hub without lookup, to learn whether it was accepted before (a nonce is
 * accepted once), or under which ISCC-ID (the check for duplicates tells).
 */
export type Purpose =
  | { readonly type: 'declare' }
  | { readonly type: 'probe'; readonly existing: string }
  | { readonly type: 'inquire' };

/** Why the hub's list of declarations is asked for. */
export type LookupReason = 'unsettled' | 'duplicate' | 'nonce-used' | 'deleted';

/** Whose an ISCC-ID is by the store's own records: nobody's, another's for certain, or perhaps another's. */
export type Owner = 'none' | 'other' | 'unsure';

export type Event =
  | {
      readonly type: 'begin';
      readonly now: number;
      /** The store's key. */
      readonly pubkey: string;
      /** An earlier declaration of the same gateway is not settled. */
      readonly blocked: boolean;
      /** A live manifest at the same gateway waits for this declaration, which is of a deleted one. */
      readonly successor: boolean;
    }
  | { readonly type: 'signed'; readonly note: Note }
  | { readonly type: 'sent'; readonly answer: DeclareAnswer; readonly owner: Owner; readonly now: number }
  | { readonly type: 'resolved'; readonly answer: LookupAnswer; readonly now: number }
  | {
      readonly type: 'looked-up';
      readonly answer: LookupAnswer;
      readonly now: number;
      readonly successor: boolean;
    }
  | { readonly type: 'withdrawal-sent'; readonly answer: WithdrawAnswer };

export type Effect =
  /** Sign a new note; without a dialect, in the hub's. */
  | { readonly type: 'sign'; readonly dialect?: Dialect }
  | { readonly type: 'send'; readonly note: Note; readonly force: boolean }
  /** Ask for the declaration with this ISCC-ID. */
  | { readonly type: 'resolve'; readonly isccId: string }
  /** Ask for all declarations of the datahash. */
  | { readonly type: 'lookup' }
  | { readonly type: 'withdraw'; readonly isccId: string };

/** The next state, and at most one thing to do, whose result is the next event. */
export type Transition = readonly [State, readonly Effect[]];

/** Hubs accept a note within ten minutes of its time; the rest is for travel and wrong clocks. */
export const NOTE_FRESH_MS = 8 * 60_000;
export const NOTE_EXPIRED_MS = 11 * 60_000;

/** Whether there is anything left to do, now or later. */
export function isOpen({ status, live, uncertainty }: State): boolean {
  switch (status) {
    case 'pending':
    case 'failed':
      return true;
    case 'declared':
      return !live;
    case 'skipped':
      return uncertainty !== undefined;
    case 'disabled':
    case 'withdrawn':
      return false;
    default:
      return status satisfies never;
  }
}
