/** What a service acknowledged, and when. */

/** `stored` and `deleted` when the response has arrived, `changing` when a request is sent. */
export type Event = 'changing' | 'stored' | 'deleted';

export class Ledger {
  readonly #events = new Map<string, { readonly time: bigint; readonly event: Event }[]>();
  #acknowledged: bigint[] = [];

  note(id: string, event: Event): void {
    const time = process.hrtime.bigint();
    this.#events.set(id, [...(this.#events.get(id) ?? []), { time, event }]);
    if (event !== 'changing') this.#acknowledged.push(time);
  }

  get ids(): Iterable<string> {
    return this.#events.keys();
  }

  /** When changes were acknowledged, in ns, in their order. */
  get acknowledged(): readonly bigint[] {
    return this.#acknowledged;
  }

  /** What must hold for what was acknowledged before `time`; `unknown` while a change was under way. */
  before(time: bigint, id: string): 'stored' | 'deleted' | 'unknown' {
    const last = this.#events.get(id)?.findLast((event) => event.time < time)?.event;
    return last === undefined || last === 'changing' ? 'unknown' : last;
  }
}
