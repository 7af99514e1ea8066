/** Queries and forms of the dashboard. Invalid values are treated as absent. */
import { z } from 'zod';

import { AUDIT_ACTIONS } from '../../storage/database/audit.js';
import { AUDIT_FORMATS, type AuditFilter } from '../../storage/database/audit-log.js';
import { ROLES, DECLARATION_STATUSES as STATUSES } from '../../storage/database/tables.js';
import { type Filter, type Order, SORTS } from './filter.js';

export { STATUSES };
export const ACTIONS = ['delete', 'restore', 'release', 'retry'] as const;

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
/** A text to compare with; absent if it is empty. */
const filterText = text.transform((value) => value.trim().slice(0, SEARCH_CHARACTERS_MAX) || undefined);
const key = z
  .string()
  .regex(/^[1-9]\d{0,14}$/)
  .transform(Number);

/** A day in UTC as milliseconds since the epoch. */
const day = once
  .pipe(z.iso.date())
  .transform((date) => Date.parse(`${date}T00:00:00Z`))
  .optional()
  .catch(undefined);
export const DAY_MS = 24 * 3600 * 1000;

/** Filters and order in the URL of the list. */
export const listQuery = z.object({
  q: text.transform((search) => search.trim().slice(0, SEARCH_CHARACTERS_MAX)),
  status: choice(STATUSES),
  deleted: choice(['yes', 'no']),
  trusted: choice(['yes', 'no']),
  alg: filterText,
  signer: filterText,
  from: day,
  to: day,
  sort: choice(SORTS),
  dir: choice(['asc', 'desc']),
  page: once.transform(Number).pipe(z.int().min(1).max(PAGE_MAX)).catch(1).default(1),
});
export type ListQuery = z.infer<typeof listQuery>;

/** Invalid keys become 0, which no manifest has. */
export const keyParams = z.object({ key: z.string().transform((text) => key.safeParse(text).data ?? 0) });

/** What the login page says first: a form was posted without a session. */
const NOTICES = ['unsent'] as const;
export type Notice = (typeof NOTICES)[number];

export const loginQuery = z.object({ next: text, notice: choice(NOTICES) });

export const loginForm = z.object({ username: text, password: text, code: text, csrf: text, next: text });

export const logoutForm = z.object({ csrf: text });

const keys = z
  .union([z.array(z.string()), z.string().transform((one) => [one])])
  .default([])
  .transform((keys) => keys.flatMap((one) => key.safeParse(one).data ?? []).slice(0, KEYS_MAX));

/** The confirmation page of an action: what was chosen, and the query of the list to return to. */
export const confirmQuery = listQuery.extend({
  action: choice(ACTIONS),
  key: keys,
  /** The action is for all manifests that fit the list's query. */
  all: choice(['yes']),
});
export type ConfirmQuery = z.infer<typeof confirmQuery>;

/** The result of a search with a file, as `match-routes.ts` writes it. */
export const matchesQuery = z.object({ iscc: text, found: text, seal: text });

export const actionForm = z.object({
  csrf: text,
  action: choice(ACTIONS),
  key: keys,
  /** The action is for all manifests that fit the search in `back`. */
  all: choice(['yes']),
  /** With `all`: largest key at the time of the confirmation page. */
  upTo: once.pipe(key).optional().catch(undefined),
  /** Set by the confirmation page. */
  confirmed: choice(['yes']),
  /** Query of the list to return to. */
  back: text,
});
export type ActionForm = z.infer<typeof actionForm>;
export type Action = (typeof ACTIONS)[number];

export const ACCOUNT_ACTIONS = [
  'add',
  'role',
  'password',
  'disable',
  'enable',
  'unlock',
  'end-sessions',
] as const;

export const accountForm = z.object({
  csrf: text,
  action: choice(ACCOUNT_ACTIONS),
  username: text,
  password: text,
  role: choice(ROLES),
});
export type AccountForm = z.infer<typeof accountForm>;

export const ownAccountForm = z.object({
  csrf: text,
  action: choice([
    'password',
    'end-session',
    'end-others',
    'start-factor',
    'cancel-factor',
    'confirm-factor',
    'remove-factor',
  ]),
  /** The password of the account. */
  current: text,
  /** The new one. */
  password: text,
  /** Of the second factor. */
  code: text,
  /** Hash of a session's token. */
  session: text,
});
export type OwnAccountForm = z.infer<typeof ownAccountForm>;

export const tokenForm = z.object({
  csrf: text,
  action: choice(['add', 'revoke']),
  publisher: text,
  scope: z.union([z.array(z.string()), z.string().transform((one) => [one])]).default([]),
  /** 0: never expires; `undefined` if it is invalid. */
  days: text.transform((days) => {
    if (days.trim() === '') return 0;
    return /^[1-9]\d{0,4}$/.test(days.trim()) ? Number(days) : undefined;
  }),
  key: once.pipe(key).optional().catch(undefined),
});
export type TokenForm = z.infer<typeof tokenForm>;

export const webhookForm = z.object({
  csrf: text,
  action: choice(['add', 'disable', 'enable', 'delete']),
  url: text,
  type: z.union([z.array(z.string()), z.string().transform((one) => [one])]).default([]),
  key: once.pipe(key).optional().catch(undefined),
});
export type WebhookForm = z.infer<typeof webhookForm>;

/** Filters in the URL of the audit log. */
export const auditQuery = z.object({
  actor: text.transform((name) => name.trim()),
  action: choice(AUDIT_ACTIONS),
  subject: text.transform((subject) => subject.trim()),
  from: day,
  to: day,
  /** Only entries with a smaller key. */
  below: once.pipe(key).optional().catch(undefined),
});
export type AuditQuery = z.infer<typeof auditQuery>;

export const auditExportQuery = auditQuery.extend({
  format: once.pipe(z.enum(AUDIT_FORMATS)).catch('ndjson').default('ndjson'),
});

/** @returns the filter without its empty fields; `to` includes its day */
export function auditFilter({ actor, action, subject, from, to }: AuditQuery): AuditFilter {
  return {
    ...(actor !== '' && { actor }),
    ...(action !== undefined && { action }),
    ...(subject !== '' && { subject }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to: to + DAY_MS }),
  };
}

/** `2026-11-22`. */
export function dayText(milliseconds: number | undefined): string {
  return milliseconds === undefined ? '' : new Date(milliseconds).toISOString().slice(0, 10);
}

/** Query string of the audit log. */
export function auditSearch({ from, to, ...query }: Partial<AuditQuery>): string {
  return searchString({ ...query, from: dayText(from), to: dayText(to) });
}

/** Query string of a list, without default values. */
export function listSearch({ from, to, page, ...query }: Partial<ListQuery>): string {
  const days = { from: dayText(from), to: dayText(to) };
  return searchString({ ...query, ...days, page: page === 1 ? undefined : page });
}

/** Query string of a confirmation page. */
export function confirmSearch({ action, key, all, ...query }: ConfirmQuery): string {
  const search = new URLSearchParams(listSearch(query));
  if (action !== undefined) search.set('action', action);
  if (all !== undefined) search.set('all', all);
  for (const one of key) search.append('key', String(one));
  return `?${search}`;
}

function searchString(fields: Readonly<Record<string, string | number | undefined>>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined && value !== '') search.set(name, String(value));
  }
  return search.size === 0 ? '' : `?${search}`;
}

/** The filter of a list; `to` includes its day. */
export function listFilter({ q, status, deleted, trusted, alg, signer, from, to }: ListQuery): Filter {
  const isSet = (choice: 'yes' | 'no' | undefined) => (choice === undefined ? undefined : choice === 'yes');
  return {
    search: q,
    status,
    isDeleted: isSet(deleted),
    isTrusted: isSet(trusted),
    alg,
    signer,
    from,
    to: to === undefined ? undefined : to + DAY_MS,
  };
}

/** Newest first by default; texts ascending. */
export function listOrder({ sort = 'uploaded', dir }: ListQuery): Order {
  const isAscending = dir === undefined ? sort !== 'uploaded' && sort !== 'size' : dir === 'asc';
  return { sort, isAscending };
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
