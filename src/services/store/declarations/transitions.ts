/** Transitions of the state machine. They also track which sends may still have been accepted. */
import type { Dialect, Note } from './iscc-note.js';
import type { Transition } from './state.js';
import { type LookupReason, NOTE_EXPIRED_MS, type Purpose, type State, type Uncertainty } from './state.js';

type Change = Partial<Omit<State, 'step' | 'live' | 'gateway'>>;

/** Begins the next message, in this and in earlier versions: rows are searched for it. */
export const ISCC_ID_UNKNOWN_START = 'an earlier attempt may have been accepted, and the hub has no lookup';
/** Error shown to the operator, stored with the row. */
export const ISCC_ID_UNKNOWN = `${ISCC_ID_UNKNOWN_START} to find its ISCC-ID`;

/** Ends the attempt. */
export function rest(state: State, change: Change = {}): Transition {
  return [{ ...state, ...change, step: { at: 'rest' } }, []];
}

/** The hub refused the note. */
export function fail(state: State, error: string): Transition {
  return rest(state, { status: 'failed', error });
}

/** The hub gave no definitive answer. */
export function postpone(state: State, error: string): Transition {
  return rest(state, { status: 'pending', error });
}

/** The hub accepted the declaration. If the manifest is deleted, a separate attempt withdraws it. */
export function declared(state: State, isccId: string, pubkey: string): Transition {
  return rest(state, { status: 'declared', isccId, pubkey, uncertainty: undefined, error: undefined });
}

/** Requests a new note, unless the manifest was deleted. */
export function sign(state: State, forced: boolean, dialect?: Dialect): Transition {
  if (!state.live) return rest(state);
  const step = { at: 'signing', forced, switched: dialect !== undefined } as const;
  return [{ ...state, step }, [{ type: 'sign', ...(dialect === undefined ? {} : { dialect }) }]];
}

/** Sends the note. Until the answer arrives it is uncertain whether the hub accepted it. */
export function send(state: State, note: Note, purpose: Purpose, switched = false): Transition {
  const forced = state.forced || purpose.type === 'probe';
  const force = forced && purpose.type !== 'inquire';
  const step = { at: 'sending', purpose, before: state.uncertainty, switched } as const;
  const uncertainty = addUncertainty(state.uncertainty, note, force);
  return [{ ...state, forced, uncertainty, step }, [{ type: 'send', note, force }]];
}

export function lookUp(state: State, reason: LookupReason): Transition {
  return [{ ...state, step: { at: 'looking-up', reason } }, [{ type: 'lookup' }]];
}

/** Sends a withdrawal, signed now. Until the answer arrives it is uncertain whether the hub accepted it. */
export function withdraw(state: State, isccId: string, now: number, pubkey: string): Transition {
  const until = Math.max(state.uncertainty?.until ?? 0, now + NOTE_EXPIRED_MS);
  const uncertainty = { nonce: undefined, pubkey, forced: false, until };
  const step = { at: 'withdrawing', before: state.uncertainty } as const;
  return [{ ...state, uncertainty, step }, [{ type: 'withdraw', isccId }]];
}

function addUncertainty(before: Uncertainty | undefined, note: Note, force: boolean): Uncertainty {
  const until = Date.parse(note.timestamp) + NOTE_EXPIRED_MS;
  if (before === undefined) {
    return { nonce: note.nonce, pubkey: note.signature.pubkey, forced: force, until };
  }
  return {
    nonce: before.nonce === note.nonce ? note.nonce : undefined,
    pubkey: before.pubkey,
    forced: before.forced || force,
    until: Math.max(before.until, until),
  };
}
