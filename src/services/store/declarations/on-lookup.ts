/** Transitions after the hub's list of declarations with the same datahash. */
import { isMine } from './on-sent.js';
import type { Event, LookupReason, State, Transition } from './state.js';
import { declared, fail, ISCC_ID_UNKNOWN, lookUp, postpone, rest, send, sign } from './transitions.js';

type LookedUp = Extract<Event, { type: 'looked-up' }>;

const WAITING =
  'an earlier attempt may still be accepted; the next one follows when the hub refuses it as too old';

export function lookedUp(state: State, reason: LookupReason, event: LookedUp): Transition {
  const { answer, now, successor } = event;
  switch (answer.type) {
    case 'records': {
      const mine = answer.records.find((record) => isMine(state, record));
      if (mine === undefined) return absent(state, reason, now);
      // A new upload of the same manifest adopts it, so it is not withdrawn.
      if (!state.live && successor)
        return rest(state, { status: 'skipped', uncertainty: undefined, error: undefined });
      return declared(state, mine.isccId, mine.pubkey);
    }
    case 'no-route':
      return withoutLookup(state, reason);
    case 'unanswered':
      return state.live ? postpone(state, answer.reason) : rest(state, { error: answer.reason });
    default:
      return answer satisfies never;
  }
}

/** The list does not contain it. An uncertain send may still be accepted until it expires. */
function absent(state: State, reason: LookupReason, now: number): Transition {
  const { uncertainty, note } = state;
  const expired = uncertainty === undefined || now > uncertainty.until;
  const known = { ...state, uncertainty: undefined };
  switch (reason) {
    case 'deleted':
      return rest(state, {
        status: 'skipped',
        uncertainty: expired ? undefined : uncertainty,
        error: undefined,
      });
    case 'unsettled':
      return expired ? sign(known, false) : postpone(state, WAITING);
    case 'duplicate':
      // The other declaration exists: from now on the hub refuses sends that were not forced.
      return expired || !uncertainty.forced ? sign(known, true) : postpone(state, WAITING);
    case 'nonce-used': {
      const used = uncertainty?.nonce !== undefined && uncertainty.nonce === note?.nonce;
      return expired || used || !uncertainty.forced ? sign(known, false) : postpone(state, WAITING);
    }
    default:
      return reason satisfies never;
  }
}

/** The hub has no lookup route. */
function withoutLookup(state: State, reason: LookupReason): Transition {
  switch (reason) {
    case 'deleted':
      return rest(state, { status: 'skipped', uncertainty: undefined, error: ISCC_ID_UNKNOWN });
    case 'unsettled':
      return state.uncertainty?.forced ? fail(state, ISCC_ID_UNKNOWN) : sign(state, false);
    case 'duplicate':
      // The existing declaration came first and is not ours, so the hub refused ours unless it was forced.
      return state.uncertainty?.forced
        ? fail(state, ISCC_ID_UNKNOWN)
        : sign({ ...state, uncertainty: undefined }, true);
    case 'nonce-used':
      if (state.note === undefined) return lookUp(state, 'unsettled');
      return send(state, state.note, { type: 'inquire' });
    default:
      return reason satisfies never;
  }
}
