/** Page of the audit log. */
import { AUDIT_ACTIONS } from '../../../storage/database/audit.js';
import type { AuditPage, AuditRecord } from '../../../storage/database/audit-log.js';
import type { FailedLoginRow } from '../../../storage/database/tables.js';
import type { Session } from '../accounts/sessions.js';
import { type AuditQuery, auditSearch, dayText, listSearch } from '../schema.js';
import { type Html, html, type Value } from './html.js';
import { layout } from './layout.js';
import { count, moment, select } from './text.js';

export interface AuditParts extends AuditPage {
  /** Counts that are not yet entries. */
  readonly failed: readonly FailedLoginRow[];
  /** Of the hash chain. */
  readonly head: string;
}

export function auditPageView(
  session: Session,
  query: AuditQuery,
  { records, older, failed, head }: AuditParts,
): Html {
  const { below: _, ...filter } = query;
  const link = (format: string) => {
    const search = auditSearch(filter);
    return `/admin/audit/export/${search}${search === '' ? '?' : '&'}format=${format}`;
  };
  const next = older && auditSearch({ ...filter, below: older });
  return layout({
    title: 'Audit log',
    session,
    at: 'audit',
    body: html`<h1>Audit log</h1>
${failed.length > 0 && failedLogins(failed)}
<section aria-label="Filters">${filters(query)}</section>
<section aria-labelledby="found">
<div class="table-head">
<h2 id="found">Entries, newest first</h2>
<p class="pages"><a class="button second" href="${link('ndjson')}">Export NDJSON</a>
<a class="button second" href="${link('csv')}">Export CSV</a></p>
</div>
${records.length === 0 ? html`<p>No entry matches.</p>` : table(records)}
<nav class="pages" aria-label="Pages">
${query.below !== undefined && html`<a class="button second" href="/admin/audit/${auditSearch(filter)}">Newest</a>`}
${next && html`<a class="button second" href="/admin/audit/${next}">Older</a>`}
</nav>
<p class="hint id">Head of the hash chain: ${head}</p>
</section>`,
  });
}

function filters({ actor, action, subject, from, to }: AuditQuery): Html {
  return html`<form class="filters" method="get" action="/admin/audit/" role="search">
<div><label for="actor">Who</label>
<input id="actor" name="actor" value="${actor}" maxlength="255" autocapitalize="off" spellcheck="false"></div>
${select('action', 'What', action, AUDIT_ACTIONS)}
<div class="grow"><label for="subject">Manifest id or account</label>
<input id="subject" name="subject" type="search" value="${subject}" maxlength="255" autocapitalize="off" spellcheck="false"></div>
<div><label for="from">From</label><input id="from" name="from" type="date" value="${dayText(from)}"></div>
<div><label for="to">To</label><input id="to" name="to" type="date" value="${dayText(to)}"></div>
<button type="submit">Search</button>
<a class="button second" href="/admin/audit/">Reset</a>
</form>`;
}

function failedLogins(failed: readonly FailedLoginRow[]): Html {
  const rows = failed.map(
    ({ account, failures, refused, first_at, last_at, origin }) => html`<tr>
<th scope="row">${account === '' ? 'unknown names' : account}</th><td class="number">${count(failures)}</td><td class="number">${count(refused)}</td>
<td>${moment(first_at)}</td><td>${moment(last_at)}</td><td>${origin}</td></tr>
`,
  );
  return html`<section aria-labelledby="failed">
<h2 id="failed">Failed logins of the day</h2>
<p class="hint">They become one entry per account, at the first login after the day (UTC).</p>
<div class="table" role="group" aria-labelledby="failed" tabindex="0"><table>
<thead><tr><th scope="col">Account</th><th scope="col">Failures</th><th scope="col">Refused while locked</th>
<th scope="col">First</th><th scope="col">Last</th><th scope="col">Last from</th></tr></thead>
<tbody>${rows}</tbody>
</table></div>
</section>`;
}

function table(records: readonly AuditRecord[]): Html {
  return html`<div class="table" role="group" aria-labelledby="found" tabindex="0"><table class="audit">
<thead><tr><th scope="col">When</th><th scope="col">Who</th><th scope="col">From</th><th scope="col">What</th>
<th scope="col">About</th><th scope="col">Before</th><th scope="col">After</th></tr></thead>
<tbody>${records.map(row)}</tbody>
</table></div>`;
}

function row({ at, actorKind, actor, origin, action, subject, before, after }: AuditRecord): Html {
  return html`<tr><td>${moment(Date.parse(at))}</td><td>${nameOf(actorKind, actor)}</td><td>${origin}</td><td>${action}</td>
<td class="id">${about(action, subject)}</td><td>${state(before)}</td><td>${state(after)}</td></tr>
`;
}

/** Manifests have a link to the list, which says whether they still exist. */
function about(action: string, subject: string | null): Value {
  if (subject === null || !action.startsWith('manifest-')) return subject ?? undefined;
  return html`<a href="/admin/manifests/${listSearch({ q: subject })}">${subject}</a>`;
}

/** Names of accounts stand alone. Other actors could have the same name, so their kind is added. */
function nameOf(kind: AuditRecord['actorKind'], name: string | null): string {
  if (name === null) return ACTORS[kind];
  return kind === 'account' ? name : `${name} (${NAMED_ACTORS[kind]})`;
}

const NAMED_ACTORS = { command: 'command', token: 'upload token', store: 'store' } as const;

/** Actors without a name. */
const ACTORS: Readonly<Record<AuditRecord['actorKind'], string>> = {
  account: 'unknown name',
  command: 'command',
  token: 'operator token',
  store: 'store',
};

/** One line per member. */
function state(value: unknown): Html | undefined {
  if (value === null || typeof value !== 'object') return undefined;
  return html`${Object.entries(value).map(([name, one]) => html`${name}: ${member(one)}<br>`)}`;
}

function member(value: unknown): Value {
  if (typeof value === 'string') return value;
  // Times in milliseconds from 2001 to 9999: entries have no other numbers of this size.
  if (typeof value === 'number' && value >= 1e12 && value < 253_402_300_800_000) return moment(value);
  return JSON.stringify(value);
}
