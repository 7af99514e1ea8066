/** What a hub's answer to a declaration leads to. */
import { declared, fail, lookUp, postpone, rest, send, sign, UNTOLD } from './moves.js';
import { type Dialect, dialectOf, type Note } from './note.js';
import type { Event, Holder, State, Step, Transition } from './state.js';

type Sending = Extract<Step, { at: 'sending' }>;
type Resolving = Extract<Step, { at: 'resolving' }>;
type Sent = Extract<Event, { type: 'sent' }>;
type Resolved = Extract<Event, { type: 'resolved' }>;

export function sent(state: State, step: Sending, { answer, holder }: Sent): Transition {
  const note = noteOf(state);
  const settled = { ...state, doubt: step.before };
  switch (answer.type) {
    case 'accepted':
      return declared(state, answer.isccId, note.signature.pubkey);
    case 'duplicate':
      return duplicate(settled, step, answer.existing, answer.actor, holder);
    case 'nonce-used':
      return nonceUsed(state, step);
    case 'other-dialect':
      return otherDialect(settled, step, note, answer.reason);
    case 'refused':
      return refused(settled, answer.reason);
    case 'unanswered':
      return postpone(answer.doubtful ? state : settled, answer.reason);
    default:
      return answer satisfies never;
  }
}

/** Whose is the declaration that is there already? If it can be ours, the hub is asked. */
function duplicate(
  state: State,
  { purpose }: Sending,
  existing: string | undefined,
  actor: string | undefined,
  holder: Holder,
): Transition {
  const own = actor !== undefined && isOwn(state, actor);
  if (purpose.type === 'inquire') {
    const found = own && existing !== undefined && holder === 'none';
    return found ? declared(state, existing, actor) : fail(state, UNTOLD);
  }
  if (state.forced) return refused(state, 'the hub refuses duplicates, also forced ones');
  if (own && existing !== undefined && holder !== 'other') {
    const step = { at: 'resolving', existing, actor, holder } as const;
    return [{ ...state, step }, [{ type: 'resolve', isccId: existing }]];
  }
  return state.doubt === undefined ? sign(state, true) : lookUp(state, 'duplicate');
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

/** A hub that can't be asked what an ISCC-ID stands for. */
function unresolvable(state: State, { existing, actor, holder }: Resolving): Transition {
  const note = noteOf(state);
  if (state.doubt === undefined) return sign(state, true);
  if (state.doubt.nonce === note.nonce) return send(state, note, { type: 'probe', existing });
  return holder === 'none' ? declared(state, existing, actor) : fail(state, UNTOLD);
}

function nonceUsed(state: State, { purpose }: Sending): Transition {
  switch (purpose.type) {
    case 'declare':
      return lookUp(state, 'nonce-used');
    case 'probe':
      // The first declaration of this datahash is by our key and is no other manifest's: it is this one.
      return declared(state, purpose.existing, noteOf(state).signature.pubkey);
    case 'inquire':
      return fail(state, UNTOLD);
    default:
      return purpose satisfies never;
  }
}

/**
 * A hub that doesn't know the dialect has not taken the note earlier either; unless it was another version then, so
 * that what follows a doubt is not forced.
 */
function otherDialect(state: State, step: Sending, note: Note, reason: string): Transition {
  if (step.switched) return refused(state, reason);
  const dialect: Dialect = dialectOf(note) === '0.8.0' ? '2025-08' : '0.8.0';
  if (state.doubt === undefined) return sign(state, state.forced, dialect);
  if (state.doubt.nonce === note.nonce) return sign({ ...state, doubt: undefined }, false, dialect);
  return state.doubt.forced ? lookUp(state, 'unsettled') : sign(state, false, dialect);
}

/** A note that was refused for certain is not sent again. */
function refused(state: State, error: string): Transition {
  const change = state.doubt === undefined ? { note: undefined, forced: false } : {};
  return rest(state, { ...change, status: 'failed', error });
}

/** Whether a hub's record is the declaration of this very manifest. */
export function isMine(state: State, record: { gateway: string | undefined; pubkey: string }): boolean {
  return record.gateway === state.gateway && isOwn(state, record.pubkey);
}

function isOwn(state: State, pubkey: string): boolean {
  return pubkey === state.note?.signature.pubkey || pubkey === state.doubt?.pubkey;
}

function noteOf(state: State): Note {
  if (state.note === undefined) throw new Error('there is no note');
  return state.note;
}
