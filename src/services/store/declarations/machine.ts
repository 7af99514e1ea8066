/**
 * The state machine of a declaration. It is pure, so that tests can try every order of answers, time-outs and crashes.
 *
 * Three rules prevent a manifest from being declared twice:
 * - A hub accepts a nonce once, so the same note may be sent again at any time.
 * - A hub refuses a note that is not forced if another declaration exists, so a new one may be sent at any time.
 * - A new forced note is signed only when no earlier one was accepted or can still be accepted.
 *
 * Design: docs/design/declarations.md.
 */
import type { WithdrawAnswer } from './hub-answers.js';
import type { Note } from './iscc-note.js';
import { lookedUp } from './on-lookup.js';
import { resolved, sent } from './on-sent.js';
import { type Event, NOTE_FRESH_MS, type State, type Transition, type Uncertainty } from './state.js';
import { lookUp, postpone, rest, send, sign, withdraw } from './transitions.js';

type Begin = Extract<Event, { type: 'begin' }>;

const WITHDRAWING =
  'a withdrawal may still reach the hub; the restored manifest is declared when the hub refuses it as too old';
const BLOCKED = 'waiting for an earlier declaration of the same address to finish';

export function next(state: State, event: Event): Transition {
  const { step } = state;
  switch (event.type) {
    case 'begin':
      return state.live ? begin(state, event) : windDown(state, event);
    case 'signed':
      if (step.at !== 'signing') break;
      return signed({ ...state, forced: step.forced }, event.note, step.switched);
    case 'sent':
      if (step.at !== 'sending') break;
      return sent(state, step, event);
    case 'resolved':
      if (step.at !== 'resolving') break;
      return resolved(state, step, event);
    case 'looked-up':
      if (step.at !== 'looking-up') break;
      return lookedUp(state, step.reason, event);
    case 'withdrawal-sent':
      if (step.at !== 'withdrawing') break;
      return withdrawalSent(state, step.before, event.answer);
    default:
      return event satisfies never;
  }
  throw new Error(`${event.type} while ${step.at}`);
}

function begin(state: State, { now, pubkey, blocked }: Begin): Transition {
  const { status, note, uncertainty } = state;
  if (status !== 'pending' && status !== 'failed') return rest(state);
  if (blocked) return postpone(state, BLOCKED);
  if (note !== undefined && isUsable(note, now, pubkey)) return send(state, note, { type: 'declare' });
  if (uncertainty !== undefined && (uncertainty.forced || uncertainty.pubkey !== pubkey))
    return lookUp(state, 'unsettled');
  return sign(state, false);
}

/** The manifest is deleted: its declaration must be withdrawn, and an uncertain one looked up. */
function windDown(state: State, { now, pubkey, successor }: Begin): Transition {
  switch (state.status) {
    case 'declared':
      if (successor) return handOver(state, now);
      if (state.isccId === undefined) return rest(state, { error: 'the ISCC-ID is unknown' });
      if (state.pubkey !== pubkey) {
        return rest(state, { error: `only the key ${state.pubkey}, which declared it, can withdraw it` });
      }
      return withdraw(state, state.isccId, now, pubkey);
    case 'pending':
    case 'failed':
    case 'skipped':
      if (state.uncertainty !== undefined) return lookUp(state, 'deleted');
      return rest(state, { status: 'skipped', error: undefined });
    case 'disabled':
    case 'withdrawn':
      return rest(state);
    default:
      return state.status satisfies never;
  }
}

/**
 * The live manifest adopts the declaration, so that it need not be declared again. A withdrawal that may still reach the
 * hub would then withdraw what it adopted, so it waits until the hub refuses that as too old.
 */
function handOver(state: State, now: number): Transition {
  const { uncertainty } = state;
  if (uncertainty !== undefined && now <= uncertainty.until) return rest(state, { error: WITHDRAWING });
  return rest(state, { status: 'skipped', isccId: undefined, uncertainty: undefined, error: undefined });
}

function signed(state: State, note: Note, switched: boolean): Transition {
  return send({ ...state, note, pubkey: note.signature.pubkey }, note, { type: 'declare' }, switched);
}

function isUsable(note: Note, now: number, pubkey: string): boolean {
  const age = Math.abs(now - Date.parse(note.timestamp));
  return age < NOTE_FRESH_MS && note.signature.pubkey === pubkey;
}

function withdrawalSent(state: State, before: Uncertainty | undefined, answer: WithdrawAnswer): Transition {
  switch (answer.type) {
    case 'withdrawn':
      return rest(state, { status: 'withdrawn', uncertainty: undefined, error: undefined });
    case 'refused':
      return rest(state, { uncertainty: before, error: answer.reason });
    case 'unanswered':
      return rest(state, {
        uncertainty: answer.uncertain ? state.uncertainty : before,
        error: answer.reason,
      });
    default:
      return answer satisfies never;
  }
}
