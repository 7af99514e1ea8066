/** The limit of requests that need a token: separate from that of uploads, which anybody can exhaust. */
import type { Request } from '../../../http/routing/route.js';
import { clientKey, type Throttle } from '../../../platform/limits/throttle.js';
import { monotonicMs } from '../../../platform/time-limit.js';
import { StoreRefusal } from '../errors.js';
import type { Callers } from './callers.js';
import type { Scope } from './upload-tokens.js';

/** What is counted: deletes and bindings of publishers, and requests without a valid token. Each has the rate of uploads. */
export const TOKEN_LIMITS = ['takedown', 'binding', 'refused'] as const;

const BLOCKED_MAX = 10_000;
const UNAUTHORIZED = ['UNAUTHORIZED', 'TOKEN_INVALID'];

/**
 * Counts requests after their token is checked. The operator is not limited, whatever others send from the same address: a
 * takedown must not wait for them.
 */
export class TokenLimit {
  readonly #callers: Callers;
  readonly #throttle: Throttle;
  /** Until when tokens of publishers from a client are not looked at, because too many were wrong: on the monotonic clock. */
  readonly #blocked = new Map<string, number>();

  constructor(callers: Callers, throttle: Throttle) {
    this.#callers = callers;
    this.#throttle = throttle;
  }

  /**
   * @param scope that the token must have
   * @throws {StoreRefusal} without a valid token, and if the client has sent too many requests
   */
  async check(request: Request, scope: Scope, kind: 'takedown' | 'binding'): Promise<void> {
    if (this.#callers.isOperator(request)) return;
    const client = clientKey(request.clientAddress);
    const blockedMs = (this.#blocked.get(client) ?? 0) - monotonicMs();
    if (blockedMs > 0) throw exceeded(Math.ceil(blockedMs / 1000));
    await this.#authorized(request, client, scope);
    const wait = await this.#throttle.take(kind, request.clientAddress);
    if (wait > 0) throw exceeded(wait);
  }

  async #authorized(request: Request, client: string, scope: Scope): Promise<void> {
    try {
      await this.#callers.authorized(request, scope);
    } catch (error) {
      if (!(error instanceof StoreRefusal) || !UNAUTHORIZED.includes(error.code)) throw error;
      const wait = await this.#throttle.take('refused', request.clientAddress);
      if (wait === 0) throw error;
      if (this.#blocked.size >= BLOCKED_MAX) this.#blocked.clear();
      this.#blocked.set(client, monotonicMs() + wait * 1000);
      throw exceeded(wait);
    }
  }
}

function exceeded(retryAfter: number): StoreRefusal {
  return new StoreRefusal('RATE_EXCEEDED', { retryAfter });
}
