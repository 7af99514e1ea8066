/** `fetch` for addresses that the operator or the user of the command names. */
import { proxyRule } from './proxy.js';
import type { RequestOptions } from './proxy-fetch.js';

/** Like the global `fetch`, but through the configured proxy. */
export async function outgoingFetch(url: string, init: RequestOptions = {}): Promise<Response> {
  const rule = proxyRule();
  if (!rule.isOn) return fetch(url, init);
  // Loaded now, so that a command without a proxy starts faster.
  const { fetchByRule } = await import('./proxy-fetch.js');
  return fetchByRule(rule, url, init);
}
