/** Attempts: runs the state machine of one declaration, stores each state, then performs its effect. */
import type { Logger } from '../../../platform/observe/log.js';
import { newTrace, type Trace } from '../../../platform/observe/trace.js';
import type { LookupAnswer } from './hub-answers.js';
import type { Hub } from './hub-client.js';
import { type Dialect, declarationNote, type Signer, withdrawalNote } from './iscc-note.js';
import { next } from './machine.js';
import { type DeclarationRows, type Leased, LeaseLost } from './rows.js';
import type { Effect, Event, State } from './state.js';

/** Above the longest path through the state machine. Stops a loop with a hub that contradicts itself. */
const STEPS_MAX = 16;

export interface AttemptPorts {
  readonly rows: DeclarationRows;
  readonly hub: Hub;
  readonly signer: Signer;
  readonly log: Logger;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

export interface Outcome {
  /** The hub gave no HTTP response; the caller should postpone further attempts. */
  readonly unreachable: boolean;
}

const REACHED: Outcome = { unreachable: false };

export class Attempts {
  readonly #ports: AttemptPorts;
  /** The dialect that the hub accepted last. */
  #dialect: Dialect = '0.8.0';

  constructor(ports: AttemptPorts) {
    this.#ports = ports;
  }

  /**
   * Makes one attempt to advance a declaration. Skips rows that another attempt has leased. A failed attempt is logged,
   * stored as the row's error, and does not reject.
   *
   * @param trace trace of the request that caused the attempt
   */
  async run(key: number, trace: Trace = newTrace()): Promise<Outcome> {
    const { rows, now, log } = this.#ports;
    const leased = await rows.lease(key, now());
    if (leased === undefined) return REACHED;
    try {
      return await this.#advance(leased, trace);
    } catch (error) {
      if (error instanceof LeaseLost) {
        log.warn({ declaration: key }, 'the lease of a declaration expired, and another attempt has started');
      } else {
        log.error({ err: error, declaration: key, traceId: trace.traceId }, 'an attempt to declare failed');
        await rows.release(leased, failure(error), now());
      }
      return REACHED;
    }
  }

  async #advance(leased: Leased, trace: Trace): Promise<Outcome> {
    let [state, effects] = next(leased.state, await this.#begin(leased, trace));
    let outcome = REACHED;
    for (let steps = 1; effects[0] !== undefined; steps += 1) {
      if (steps > STEPS_MAX) {
        state = { ...state, error: 'the hub contradicts itself', step: { at: 'rest' } };
        break;
      }
      const event = await this.#perform(effects[0], { ...leased, state }, trace);
      outcome = { unreachable: isUnreachable(event) };
      [state, effects] = next(state, event);
    }
    const saved = await this.#ports.rows.save({ ...leased, state }, this.#ports.now());
    this.#report(leased.key, saved, trace);
    return needsMore(leased.state, saved) && !outcome.unreachable ? this.run(leased.key, trace) : outcome;
  }

  async #begin(leased: Leased, trace: Trace): Promise<Event> {
    const { rows, now, signer } = this.#ports;
    const earlier = leased.state.live ? await rows.unsettledBefore(leased) : [];
    for (const key of earlier) await this.run(key, trace);
    const blocked = earlier.length > 0 && (await rows.unsettledBefore(leased)).length > 0;
    const successor = !leased.state.live && (await rows.hasSuccessor(leased));
    return { type: 'begin', now: now(), pubkey: signer.key.publicKey, blocked, successor };
  }

  /** Stores the state, then performs the effect. */
  async #perform(effect: Effect, leased: Leased, trace: Trace): Promise<Event> {
    const { hub, signer, now, rows } = this.#ports;
    if (effect.type !== 'sign') await rows.save(leased, now());
    switch (effect.type) {
      case 'sign': {
        if (effect.dialect !== undefined) this.#dialect = effect.dialect;
        const { content, state } = leased;
        if (content === undefined) throw new Error(`declaration ${leased.key} has no content`);
        const note = declarationNote(content, state.gateway, this.#dialect, signer, now());
        return { type: 'signed', note };
      }
      case 'send': {
        const answer = await hub.declare(effect.note, effect.force, trace);
        const existing = answer.type === 'duplicate' ? answer.existing : undefined;
        const owner = existing === undefined ? 'none' : await rows.owner(leased, existing);
        return { type: 'sent', answer, owner, now: now() };
      }
      case 'resolve':
        return {
          type: 'resolved',
          answer: await this.#unowned(leased, await hub.resolve(effect.isccId, trace)),
          now: now(),
        };
      case 'lookup': {
        const answer = await this.#unowned(leased, await hub.lookup(leased.content?.datahash ?? '', trace));
        return { type: 'looked-up', answer, now: now(), successor: await rows.hasSuccessor(leased) };
      }
      case 'withdraw': {
        const note = withdrawalNote(effect.isccId, { ...signer, hubId: leased.hubId }, now());
        return { type: 'withdrawal-sent', answer: await hub.withdraw(note, trace) };
      }
      default:
        return effect satisfies never;
    }
  }

  /** Removes records that belong to other rows of this store. */
  async #unowned({ key }: Leased, answer: LookupAnswer): Promise<LookupAnswer> {
    if (answer.type !== 'records') return answer;
    const ids = answer.records.map(({ isccId }) => isccId);
    const owned = await this.#ports.rows.ownedByOthers(key, ids);
    return { ...answer, records: answer.records.filter(({ isccId }) => !owned.has(isccId)) };
  }

  #report(declaration: number, { status, isccId, error, gateway }: State, { traceId }: Trace): void {
    const { log } = this.#ports;
    const fields = { declaration, traceId, status, gateway, ...(isccId === undefined ? {} : { isccId }) };
    if (error === undefined) log.info(fields, 'declaration');
    else log.warn({ ...fields, error }, 'declaration is unfinished');
  }
}

function failure(error: unknown): string {
  return `the attempt failed: ${error instanceof Error ? error.message : error}`;
}

/** Deleted during the attempt, or found declared after the delete: withdraw now instead of in the next round. */
function needsMore(before: State, { live, status }: State): boolean {
  return !live && (before.live || (status === 'declared' && before.status !== 'declared'));
}

function isUnreachable(event: Event): boolean {
  return 'answer' in event && event.answer.type === 'unanswered' && event.answer.unreachable;
}
