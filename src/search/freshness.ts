/** Reads of indexes that other processes change, too: each sees all acknowledged changes, or says how old its state is. */
import type { Reply, Route } from '../http/routing/route.js';
import type { Engine } from './engine/port.js';

/** Age in seconds of the state that a response shows, while the database of the indexes is unreachable. */
export const STALE_HEADER = 'Isccd-Stale';

/** The routes, of which those that read wait for the engine to be current. */
export function withFreshness(engine: Engine, routes: readonly Route[]): Route[] {
  if (engine.fresh === undefined) return [...routes];
  const fresh = engine.fresh.bind(engine);
  return routes.map((route) => {
    if (route.right !== 'read') return route;
    const handler: Route['handler'] = async (request) => {
      const age = await fresh();
      return withAge(await route.handler(request), age);
    };
    return { ...route, handler };
  });
}

function withAge(reply: Reply, age: number | undefined): Reply {
  if (age === undefined) return reply;
  return { ...reply, headers: { ...reply.headers, [STALE_HEADER]: String(Math.ceil(age)) } };
}
