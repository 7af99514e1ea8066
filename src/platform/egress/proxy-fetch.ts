/** `fetch` through a proxy. Node's own has no such option in all supported versions. */
import { type Dispatcher, fetch } from 'undici';
import { operatorAgent } from './agents.js';
import type { ProxyRule } from './proxy.js';

const CONNECT_TIMEOUT_MS = 10_000;

export interface RequestOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly signal?: AbortSignal;
  /** `manual`: a redirect is the response. Default: redirects are followed. */
  readonly redirect?: 'manual';
}

/** Shared by all requests, so that they share connections. */
let shared: { readonly rule: ProxyRule; readonly agent: Dispatcher } | undefined;

export async function fetchByRule(rule: ProxyRule, url: string, init: RequestOptions): Promise<Response> {
  if (shared?.rule !== rule) shared = { rule, agent: operatorAgent(CONNECT_TIMEOUT_MS) };
  const response = await fetch(url, { ...init, dispatcher: shared.agent });
  // The same interface: undici is Node's implementation.
  return response as unknown as Response;
}
