/** Data types of the declaration's state machine: states, events and effects. */
import type { DeclareAnswer, LookupAnswer, WithdrawAnswer } from './hub-answers.js';
import type { Dialect, Note } from './iscc-note.js';

export type Status = 'disabled' | 'skipped' | 'pending' | 'failed' | 'declared' | 'withdrawn';

/**
 * One or more sent notes without a definite answer: the hub may have accepted them, or may still accept them. Of a
 * declared row, they are withdrawals.
 */
export interface Uncertainty {
  /** The note's nonce; `undefined` for several notes. */
  readonly nonce: string | undefined;
  readonly pubkey: string;
  /** One of them was forced: the hub accepts it even if another declaration exists. */
  readonly forced: boolean;
  /** After this time (ms) the hub refuses them as too old. */
  readonly until: number;
}

/** Stored state of a declaration. It contains everything that is sent, and is stored before the send. */
export interface State {
  readonly status: Status;
  /** `false` after the manifest was deleted; a declaration must then be withdrawn. */
  readonly live: boolean;
  /** URL of the manifest. At most one declaration in force may have it. */
  readonly gateway: string;
  /** The note that was signed last. */
  readonly note: Note | undefined;
  /** The note was or will be sent with the hub's duplicate check disabled. */
  readonly forced: boolean;
  readonly uncertainty: Uncertainty | undefined;
  readonly isccId: string | undefined;
  /** Public key of the signer. */
  readonly pubkey: string | undefined;
  /** Why the declaration is not finished; shown to the operator. */
  readonly error: string | undefined;
  readonly step: DeclarationStep;
}

/** What the attempt is waiting for. Not stored: after a crash the next attempt starts from `rest`. */
export type DeclarationStep =
  | { readonly at: 'rest' }
  | { readonly at: 'signing'; readonly forced: boolean; readonly switched: boolean }
  | {
      readonly at: 'sending';
      readonly purpose: Purpose;
      /** The uncertainty before this send. A definite answer restores it. */
      readonly before: Uncertainty | undefined;
      /** This attempt already tried the other dialect. */
      readonly switched: boolean;
    }
  | {
      readonly at: 'resolving';
      readonly existing: string;
      readonly actor: string;
      readonly owner: Owner;
    }
  | { readonly at: 'looking-up'; readonly reason: LookupReason }
  | {
      readonly at: 'withdrawing';
      /** As in `sending`. */
      readonly before: Uncertainty | undefined;
    };

/**
 * Why a note is sent. `declare` declares. The other two query a hub that has no lookup: `probe` finds out whether the
 * note was accepted before (a hub accepts a nonce once), `inquire` finds the ISCC-ID (the duplicate check returns it).
 */
export type Purpose =
  | { readonly type: 'declare' }
  | { readonly type: 'probe'; readonly existing: string }
  | { readonly type: 'inquire' };

/** Why the hub's list of declarations is looked up. */
export type LookupReason = 'unsettled' | 'duplicate' | 'nonce-used' | 'deleted';

/**
 * Whether another row of this store claims an ISCC-ID: no row does, one does, or one may. `predecessor`: an earlier row at
 * the same address may, or may have another one in force.
 */
export type Owner = 'none' | 'other' | 'unsure' | 'predecessor';

export type Event =
  | {
      readonly type: 'begin';
      readonly now: number;
      /** The store's key. */
      readonly pubkey: string;
      /** An earlier declaration of the same gateway is unfinished. */
      readonly blocked: boolean;
      /** This manifest is deleted, and a live manifest at the same gateway is waiting to be declared. */
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
  /** Sign a new note, by default in the hub's dialect. */
  | { readonly type: 'sign'; readonly dialect?: Dialect }
  | { readonly type: 'send'; readonly note: Note; readonly force: boolean }
  /** Fetch the declaration with this ISCC-ID. */
  | { readonly type: 'resolve'; readonly isccId: string }
  /** Fetch all declarations of the datahash. */
  | { readonly type: 'lookup' }
  | { readonly type: 'withdraw'; readonly isccId: string };

/** The next state and at most one effect. The result of the effect is the next event. */
export type Transition = readonly [State, readonly Effect[]];

/** Hubs accept a note within 10 minutes of its timestamp. The margins allow for transit and clock skew. */
export const NOTE_FRESH_MS = 8 * 60_000;
export const NOTE_EXPIRED_MS = 11 * 60_000;

/** Whether the declaration needs further attempts. */
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
