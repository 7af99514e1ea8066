/** Queries and forms of the dashboard. Invalid values are treated as absent. */
import { z } from 'zod';

import { DECLARATION_STATUSES as STATUSES } from '../database/tables.js';

export { STATUSES };
export const ACTIONS = ['delete', 'release', 'retry'] as const;

const SEARCH_CHARACTERS_MAX = 255;
const PAGE_MAX = 1_000_000;
/** Manifests per action; a page has 100. */
const KEYS_MAX = 1000;

/** A single field; the first of several. */
const first = z.union([z.string(), z.array(z.string()).transform(([first]) => first ?? '')]);
/** Refuses NUL characters: PostgreSQL can't store them. */
const once = first.refine((value) => !value.includes('\0'));
const text = once.catch('').default('');
const choice = <const T extends readonly [string, ...string[]]>(values: T) =>
  once.pipe(z.enum(values)).optional().catch(undefined);
const key = z
  .string()
  .regex(/^[1-9]\d{0,14}$/)
  .transform(Number);

/** Filters in the URL of the list. */
export const listQuery = z.object({
  q: text.transform((search) => search.trim().slice(0, SEARCH_CHARACTERS_MAX)),
  status: choice(STATUSES),
  deleted: choice(['yes', 'no']),
  trusted: choice(['yes', 'no']),
  page: once.transform(Number).pipe(z.int().min(1).max(PAGE_MAX)).catch(1).default(1),
});
export type ListQuery = z.infer<typeof listQuery>;

/** Invalid keys become 0, which no manifest has. */
export const keyParams = z.object({ key: z.string().transform((text) => key.safeParse(text).data ?? 0) });

export const loginQuery = z.object({ next: text });

export const loginForm = z.object({ username: text, password: text, csrf: text, next: text });

export const logoutForm = z.object({ csrf: text });

export const actionForm = z.object({
  csrf: text,
  action: choice(ACTIONS),
  key: z
    .union([z.array(z.string()), z.string().transform((one) => [one])])
    .default([])
    .transform((keys) => keys.flatMap((one) => key.safeParse(one).data ?? []).slice(0, KEYS_MAX)),
  /** Set by the confirmation page. */
  confirmed: choice(['yes']),
  /** Query of the list to return to. */
  back: text,
});
export type Action = (typeof ACTIONS)[number];

/** Query string of a list, without default values. */
export function listSearch(query: Partial<ListQuery>): string {
  const entries = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  const shown = entries.filter(([name, value]) => name !== 'page' || value !== 1);
  const search = new URLSearchParams();
  for (const [name, value] of shown) search.set(name, String(value));
  return search.size === 0 ? '' : `?${search}`;
}

/** Parses a result of {@link listSearch}, so that nothing else gets into a URL. */
export function parsedSearch(search: string): ListQuery {
  return listQuery.parse(Object.fromEntries(new URLSearchParams(search)));
}

/** A path on this host; `undefined` for anything else. Prevents open redirects after the login. */
export function localPath(next: string): string | undefined {
  if (!/^\/(?![/\\])[\x21-\x7e]*$/.test(next) || next.includes('\\')) return undefined;
  return next;
}
