/** Attempts: performs what the state machine asks for, one declaration at a time, and stores each state first. */
import type { Logger } from '../../observe/log.js';
import { newTrace, type Trace } from '../../observe/trace.js';
import type { LookupAnswer } from './hub-answers.js';
import type { Hub } from './hub-client.js';
import { type Dialect, declarationNote, type Signer, withdrawalNote } from './iscc-note.js';
import { next } from './machine.js';
import { type DeclarationRows, type Leased, LeaseLost } from './rows.js';
import type { Effect, Event, State } from './state.js';

/** More than any way through the machine is long; a hub that contradicts itself must not keep us busy. */
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
  /** The hub gave no HTTP answer: who has more to send waits. */
  readonly unreachable: boolean;
}

const REACHED: Outcome = { unreachable: false };

export class Attempts {
  readonly #ports: AttemptPorts;
  /** What the hub was last found to speak. */
  #dialect: Dialect = '0.8.0';

  constructor(ports: AttemptPorts) {
    this.#ports = ports;
  }

  /**
   * One attempt to bring a declaration further. A row that another attempt works on is left alone; one whose attempt
   * breaks off says so, and does not keep others waiting.
   *
   * @param trace of the request that it is made for
   */
  async run(key: number, trace: Trace = newTrace()): Promise<Outcome> {
    const { rows, now, log } = this.#ports;
    const leased = await rows.lease(key, now());
    if (leased === undefined) return REACHED;
    try {
      return await this.#advance(leased, trace);
    } catch (error) {
      if (error instanceof LeaseLost) {
        log.warn({ declaration: key }, 'the attempt took so long that another one has begun');
      } else {
        log.error({ err: error, declaration: key, traceId: trace.traceId }, 'the attempt broke off');
        await rows.release(leased, brokenOff(error), now());
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

  /** Stores the state, then does what it speaks of. */
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
          answer: await this.#free(leased, await hub.resolve(effect.isccId, trace)),
          now: now(),
        };
      case 'lookup': {
        const answer = await this.#free(leased, await hub.lookup(leased.content?.datahash ?? '', trace));
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

  /** Without declarations that this store knows to be other rows'. */
  async #free({ key }: Leased, answer: LookupAnswer): Promise<LookupAnswer> {
    if (answer.type !== 'records') return answer;
    const ids = answer.records.map(({ isccId }) => isccId);
    const held = await this.#ports.rows.ownedByOthers(key, ids);
    return { ...answer, records: answer.records.filter(({ isccId }) => !held.has(isccId)) };
  }

  #report(declaration: number, { status, isccId, error, gateway }: State, { traceId }: Trace): void {
    const { log } = this.#ports;
    const fields = { declaration, traceId, status, gateway, ...(isccId === undefined ? {} : { isccId }) };
    if (error === undefined) log.info(fields, 'declaration');
    else log.warn({ ...fields, error }, 'declaration is not finished');
  }
}

function brokenOff(error: unknown): string {
  return `the attempt broke off: ${error instanceof Error ? error.message : error}`;
}

/** Deleted while it was being declared, or found declared after the delete: the withdrawal needs no round of its own. */
function needsMore(before: State, { live, status }: State): boolean {
  return !live && (before.live || (status === 'declared' && before.status !== 'declared'));
}

function isUnreachable(event: Event): boolean {
  return 'answer' in event && event.answer.type === 'unanswered' && event.answer.unreachable;
}
