/** Transitions after the hub's answer to a declaration note. */
import { type Dialect, dialectOf, type Note } from './iscc-note.js';
import type { DeclarationStep, Event, Owner, State, Transition } from './state.js';
import { declared, fail, ISCC_ID_UNKNOWN, lookUp, postpone, rest, send, sign } from './transitions.js';

type Sending = Extract<DeclarationStep, { at: 'sending' }>;
type Resolving = Extract<DeclarationStep, { at: 'resolving' }>;
type Sent = Extract<Event, { type: 'sent' }>;
type Resolved = Extract<Event, { type: 'resolved' }>;

export function sent(state: State, step: Sending, { answer, owner }: Sent): Transition {
  const note = noteOf(state);
  const settled = { ...state, uncertainty: step.before };
  switch (answer.type) {
    case 'accepted':
      return declared(state, answer.isccId, note.signature.pubkey);
    case 'duplicate':
      return duplicate(settled, step, answer.existing, answer.actor, owner);
    case 'nonce-used':
      return nonceUsed(state, step);
    case 'other-dialect':
      return otherDialect(settled, step, note, answer.reason);
    case 'refused':
      return refused(settled, answer.reason);
    case 'unanswered':
      return postpone(answer.uncertain ? state : settled, answer.reason);
    default:
      return answer satisfies never;
  }
}

/** Another declaration exists. If it may be ours, look it up at the hub. */
function duplicate(
  state: State,
  { purpose }: Sending,
  existing: string | undefined,
  actor: string | undefined,
  owner: Owner,
): Transition {
  const isOurs = actor !== undefined && isOwn(state, actor);
  if (purpose.type === 'inquire') {
    const found = isOurs && existing !== undefined && owner === 'none';
    return found ? declared(state, existing, actor) : fail(state, ISCC_ID_UNKNOWN);
  }
  if (state.forced) return refused(state, 'the hub refuses duplicates, even forced ones');
  if (isOurs && existing !== undefined && owner !== 'other') {
    const step = { at: 'resolving', existing, actor, owner } as const;
    return [{ ...state, step }, [{ type: 'resolve', isccId: existing }]];
  }
  // A declaration of this manifest from before a restore may be in force next to the one that the hub names.
  return lookUp(state, 'duplicate');
}

export function resolved(state: State, step: Resolving, { answer }: Resolved): Transition {
  switch (answer.type) {
    case 'records': {
      const mine = answer.records.find((record) => isMine(state, record));
      return mine === undefined ? lookUp(state, 'duplicate') : declared(state, mine.isccId, mine.pubkey);
    }
    case 'no-route':
      return unresolvable(state, step);
    case 'unanswered':
      return postpone(state, answer.reason);
    default:
      return answer satisfies never;
  }
}

/** The hub has no route that resolves an ISCC-ID. */
function unresolvable(state: State, { existing, actor, owner }: Resolving): Transition {
  const note = noteOf(state);
  if (state.uncertainty === undefined) {
    return owner === 'predecessor' ? fail(state, ISCC_ID_UNKNOWN) : sign(state, true);
  }
  if (state.uncertainty.nonce === note.nonce) return send(state, note, { type: 'probe', existing });
  return owner === 'none' ? declared(state, existing, actor) : fail(state, ISCC_ID_UNKNOWN);
}

function nonceUsed(state: State, { purpose }: Sending): Transition {
  switch (purpose.type) {
    case 'declare':
      return lookUp(state, 'nonce-used');
    case 'probe':
      // The first declaration of this datahash has our key and belongs to no other manifest: it is this one.
      return declared(state, purpose.existing, noteOf(state).signature.pubkey);
    case 'inquire':
      return fail(state, ISCC_ID_UNKNOWN);
    default:
      return purpose satisfies never;
  }
}

/**
 * A hub that does not know the dialect did not accept the note earlier either, unless it ran another version then. So
 * a note that follows an uncertain send is not forced.
 */
function otherDialect(state: State, step: Sending, note: Note, reason: string): Transition {
  if (step.switched) return refused(state, reason);
  const dialect: Dialect = dialectOf(note) === '0.8.0' ? '2025-08' : '0.8.0';
  if (state.uncertainty === undefined) return sign(state, state.forced, dialect);
  if (state.uncertainty.nonce === note.nonce)
    return sign({ ...state, uncertainty: undefined }, false, dialect);
  return state.uncertainty.forced ? lookUp(state, 'unsettled') : sign(state, false, dialect);
}

/** Drops the note, unless an earlier send of it is uncertain. */
function refused(state: State, error: string): Transition {
  const change = state.uncertainty === undefined ? { note: undefined, forced: false } : {};
  return rest(state, { ...change, status: 'failed', error });
}

/** Whether a hub's record is the declaration of this manifest. */
export function isMine(state: State, record: { gateway: string | undefined; pubkey: string }): boolean {
  return record.gateway === state.gateway && isOwn(state, record.pubkey);
}

function isOwn(state: State, pubkey: string): boolean {
  return pubkey === state.note?.signature.pubkey || pubkey === state.uncertainty?.pubkey;
}

function noteOf(state: State): Note {
  if (state.note === undefined) throw new Error('the state has no note');
  return state.note;
}
