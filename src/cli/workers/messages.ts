/** What the primary process and the workers of `isccd serve --workers` send each other. */
import type { ServiceName } from '../../compose/service-names.js';
import type { Exposition, MetricValues } from '../../platform/observe/metrics.js';

export interface Listening {
  readonly service: ServiceName;
  readonly url: string;
  /** Path of the first page to look at. */
  readonly page: string;
}

export type FromWorker =
  | { readonly type: 'started'; readonly services: readonly Listening[] }
  /** The start failed. `status` is the exit status of the command. */
  | { readonly type: 'failed'; readonly message: string; readonly status: number }
  | { readonly type: 'metrics'; readonly id: number; readonly values: MetricValues }
  /** Asks for the metrics of all workers. */
  | { readonly type: 'gather'; readonly id: number };

export type ToWorker =
  | { readonly type: 'read-metrics'; readonly id: number }
  | { readonly type: 'gathered'; readonly id: number; readonly exposition: Exposition };

/** Replies of another process by the id of their question. */
export class Replies<T> {
  readonly #waiting = new Map<number, (reply: T) => void>();
  #last = 0;

  /** Resolves to the reply, or to `fallback` after the time. */
  ask(send: (id: number) => void, timeoutMs: number, fallback: T): Promise<T> {
    this.#last += 1;
    const id = this.#last;
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.settle(id, fallback), timeoutMs);
      this.#waiting.set(id, (reply) => {
        clearTimeout(timer);
        resolve(reply);
      });
      send(id);
    });
  }

  settle(id: number, reply: T): void {
    this.#waiting.get(id)?.(reply);
    this.#waiting.delete(id);
  }
}
