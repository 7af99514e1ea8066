/** Reads of indexes that other processes change, too: each sees all acknowledged changes, or says how old its state is. */
import { setImmediate as afterEvents } from 'node:timers/promises';
import type { Reply, Request, Route } from '../../http/routing/route.js';
import type { Engine } from './engine/port.js';
import { engineFailure, engineReply } from './errors.js';

/** Age in seconds of the state that a response shows, while the database of the indexes is unreachable. */
export const STALE_HEADER = 'Isccd-Stale';

/** Routes whose handlers are short, change nothing and respond at once, so that a request may be handled twice. */
const REPEATABLE: ReadonlySet<string> = new Set(['searchPost', 'searchGet']);

type SharedEngine = Engine & { fresh: NonNullable<Engine['fresh']> };
type Handler = Route['handler'];

/** The routes, of which those that read see all changes that were acknowledged before the request. */
export function withFreshness(engine: Engine, routes: readonly Route[]): Route[] {
  if (!isShared(engine)) return [...routes];
  const early = new EarlyReads(engine);
  return routes.map((route) => {
    if (route.right !== 'read') return route;
    const { handler } = route;
    const isRepeatable = REPEATABLE.has(route.operationId) && engine.version !== undefined;
    const fresh: Handler = async (request) => withAge(await engine.fresh(), () => handler(request));
    return { ...route, handler: isRepeatable ? (request) => early.handle(handler, request) : fresh };
  });
}

function isShared(engine: Engine): engine is SharedEngine {
  return engine.fresh !== undefined;
}

/**
 * Reads that run while the database is still being asked for changes. If there are any, what was read is dropped, and read
 * again after them.
 */
class EarlyReads {
  readonly #engine: SharedEngine;
  /** Whether the last read had to be repeated: then the next one waits first, so that few reads are in vain. */
  #isChanging = false;

  constructor(engine: SharedEngine) {
    this.#engine = engine;
  }

  async handle(handler: Handler, request: Request): Promise<Reply> {
    const before = this.#engine.version?.();
    const fresh = this.#engine.fresh();
    const isEarly = before !== undefined && !this.#isChanging;
    const early = isEarly ? await begun(handler, request, fresh) : undefined;
    const age = await fresh;
    const isCurrent = before !== undefined && before === this.#engine.version?.();
    this.#isChanging = !isCurrent;
    return withAge(age, () => (isCurrent && early ? early.reply : handler(request)));
  }
}

/** Begins to handle a request, after the question to the database was sent: a short search blocks the event loop. */
async function begun(
  handler: Handler,
  request: Request,
  fresh: Promise<unknown>,
): Promise<{ readonly reply: Promise<Reply> }> {
  fresh.catch(() => {});
  await afterEvents();
  const reply = (async () => handler(request))();
  reply.catch(() => {});
  return { reply };
}

async function withAge(age: number | undefined, handle: () => Reply | Promise<Reply>): Promise<Reply> {
  if (age === undefined) return handle();
  const reply = await found(handle);
  return { ...reply, headers: { ...reply.headers, [STALE_HEADER]: String(Math.ceil(age)) } };
}

/** Another process may have stored since what is not found. */
async function found(handle: () => Reply | Promise<Reply>): Promise<Reply> {
  try {
    return await handle();
  } catch (error) {
    const failure = engineFailure(error);
    if (failure?.status !== 404) throw error;
    return engineReply(failure);
  }
}
