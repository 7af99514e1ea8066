/** The services that this page can use: its own, and the neighbours that respond. */

export type ServiceName = 'codes' | 'search' | 'store' | 'resolver';

/** For the answer of a neighbour. A firewall may drop the packets, and then the browser waits for minutes. */
const NEIGHBOUR_MS_MAX = 2_000;
const LOOPBACK = /^(?:localhost|127\.[\d.]+|\[::1\])$/;
const { service, neighbours = '' } = document.documentElement.dataset;

/** The service that serves this page. */
export const own = service as ServiceName;

/** Origins of the services; the empty text is the page's own. */
const origins = new Map<string, string>([[own, '']]);

/** Whether the page can use a service. */
export function has(name: ServiceName): boolean {
  return origins.has(name);
}

/** The address of a path of a service. */
export function addressOf(name: ServiceName, path: string): string {
  return `${origins.get(name) ?? ''}${path}`;
}

let found: Promise<void> | undefined;

/**
 * Asks the neighbours whether they are there, and shows the parts of the page that can be used. Later calls wait for
 * the same answers; until then, {@link has} knows only the page's own service.
 */
export function findNeighbours(): Promise<void> {
  found ??= askNeighbours();
  return found;
}

async function askNeighbours(): Promise<void> {
  await Promise.all(neighbours.split(' ').filter(Boolean).map(findNeighbour));
  showParts();
}

/** Shows the parts of the page whose services respond: `data-needs` is a service, one of several (`a|b`), or none (`!a`). */
export function showParts(): void {
  for (const part of document.querySelectorAll<HTMLElement>('[data-needs]')) {
    const needs = part.dataset.needs ?? '';
    const isThere = needs.split('|').some((name) => origins.has(name));
    part.hidden = needs.startsWith('!') ? origins.has(needs.slice(1)) : !isThere;
  }
}

async function findNeighbour(entry: string): Promise<void> {
  const [name = '', origin = ''] = entry.split('=');
  // Behind a proxy that hides itself, the server names addresses of its own machine.
  if (LOOPBACK.test(new URL(origin).hostname) && !LOOPBACK.test(location.hostname)) return;
  const signal = AbortSignal.timeout(NEIGHBOUR_MS_MAX);
  const response = await fetch(`${origin}/healthz`, { signal }).catch(() => undefined);
  if (response?.ok) origins.set(name, origin);
}
