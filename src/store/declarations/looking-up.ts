/** What the hub's list of declarations of the same datahash leads to. */
import { declared, fail, lookUp, postpone, rest, send, sign, UNTOLD } from './moves.js';
import { isMine } from './sending.js';
import type { Event, LookupReason, State, Transition } from './state.js';

type LookedUp = Extract<Event, { type: 'looked-up' }>;

const WAITING = 'an earlier attempt may still be accepted; a new one follows when the hub takes it no more';

export function lookedUp(state: State, reason: LookupReason, event: LookedUp): Transition {
  const { answer, now, heir } = event;
  switch (answer.type) {
    case 'records': {
      const mine = answer.records.find((record) => isMine(state, record));
      if (mine === undefined) return absent(state, reason, now);
      // A new upload of the same manifest adopts it, rather than to see it withdrawn.
      if (!state.live && heir) return rest(state, { status: 'skipped', doubt: undefined, error: undefined });
      return declared(state, mine.isccId, mine.pubkey);
    }
    case 'no-route':
      return untold(state, reason);
    case 'unanswered':
      return state.live ? postpone(state, answer.reason) : rest(state, { error: answer.reason });
    default:
      return answer satisfies never;
  }
}

/** It is not in force. Can it still come? */
function absent(state: State, reason: LookupReason, now: number): Transition {
  const { doubt, note } = state;
  const dead = doubt === undefined || now > doubt.until;
  const known = { ...state, doubt: undefined };
  switch (reason) {
    case 'deleted':
      return rest(state, { status: 'skipped', doubt: dead ? undefined : doubt, error: undefined });
    case 'unsettled':
      return dead ? sign(known, false) : postpone(state, WAITING);
    case 'duplicate':
      // What was not forced is refused from now on, because of the other declaration.
      return dead || !doubt.forced ? sign(known, true) : postpone(state, WAITING);
    case 'nonce-used': {
      const used = doubt?.nonce !== undefined && doubt.nonce === note?.nonce;
      return dead || used || !doubt.forced ? sign(known, false) : postpone(state, WAITING);
    }
    default:
      return reason satisfies never;
  }
}

/** The hub has no such list. */
function untold(state: State, reason: LookupReason): Transition {
  switch (reason) {
    case 'deleted':
      return rest(state, { status: 'skipped', doubt: undefined, error: UNTOLD });
    case 'unsettled':
      return state.doubt?.forced ? fail(state, UNTOLD) : sign(state, false);
    case 'duplicate':
      // The declaration that is there came first and is not ours: one of ours that was not forced was refused.
      return state.doubt?.forced ? fail(state, UNTOLD) : sign({ ...state, doubt: undefined }, true);
    case 'nonce-used':
      if (state.note === undefined) return lookUp(state, 'unsettled');
      return send(state, state.note, { type: 'inquire' });
    default:
      return reason satisfies never;
  }
}
