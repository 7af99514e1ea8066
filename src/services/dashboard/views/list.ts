/** Table of manifests with search, filters, pages and actions. */
import type { LogState } from '../../../network/declared.js';
import { ACTION_ROLES, includes } from '../accounts/roles.js';
import type { Session } from '../accounts/sessions.js';
import type { Sort } from '../filter.js';
import type { Page, Row } from '../overview.js';
import { ACTIONS, type Action, dayText, type ListQuery, listOrder, listSearch, STATUSES } from '../schema.js';
import { ACTION_LABELS } from './action-labels.js';
import { type Html, html, type Value } from './html.js';
import { layout } from './layout.js';
import { searchForm } from './matches.js';
import { bytes, counted, declarationBadge, moment, select, yesNo } from './text.js';

/** States in the hubs' logs by key; `undefined` if this process follows no hubs. */
type LogStates = ReadonlyMap<number, LogState> | undefined;

export interface ListParts {
  readonly page: Page;
  /** Algorithms to filter by. */
  readonly algorithms: readonly string[];
  readonly logStates: LogStates;
  /** Largest file to search with; `undefined` if the store does not code files. */
  readonly fileBytesMax: number | undefined;
}

export function listPage(session: Session, query: ListQuery, parts: ListParts): Html {
  const { page, algorithms } = parts;
  const table =
    page.rows.length === 0 ? html`<p>No manifest matches.</p>` : manifestTable(session, query, parts);
  return layout({
    title: 'Manifests',
    session,
    at: 'manifests',
    body: html`<h1>Manifests</h1>
<section aria-label="Search and filters">${filters(query, algorithms)}</section>
${parts.fileBytesMax !== undefined && searchForm(session, parts.fileBytesMax)}
<section aria-labelledby="found">
<div class="table-head">
<h2 id="found">${counted(page.total, 'manifest')}</h2>
${pagination(query, page)}
</div>
${actionsOf(session).length > 0 ? withActions(session, query, page, table) : table}
${page.pages > 1 && pagination(query, page)}
</section>`,
  });
}

function filters(query: ListQuery, algorithms: readonly string[]): Html {
  const { q, status, deleted, trusted, alg, signer, from, to, sort, dir } = query;
  const kept = (name: string, value: string | undefined) =>
    value && html`<input type="hidden" name="${name}" value="${value}">`;
  return html`<form class="filters" method="get" action="/admin/manifests/" role="search">
<div class="grow"><label for="q">Search</label>
<input id="q" name="q" type="search" value="${q}" placeholder="id, title, signer, SHA-256, ISCC-CODE, ISCC-ID, binding value" maxlength="255" autocapitalize="off" spellcheck="false"></div>
${select('status', 'Declaration', status, STATUSES)}
${select('deleted', 'Deleted', deleted, ['no', 'yes'])}
${select('trusted', 'Trusted signer', trusted, ['yes', 'no'])}
${select('alg', 'Algorithm', alg, algorithms)}
<div><label for="signer">Signer is</label><input id="signer" name="signer" value="${signer}" maxlength="255" spellcheck="false"></div>
<div><label for="from">Uploaded from</label><input id="from" name="from" type="date" value="${dayText(from)}"></div>
<div><label for="to">to</label><input id="to" name="to" type="date" value="${dayText(to)}"></div>
${kept('sort', sort)}${kept('dir', dir)}<button type="submit">Search</button>
<a class="button second" href="/admin/manifests/">Reset</a>
</form>`;
}

/** The form encloses the table, so that its check boxes work without a script. */
function withActions(session: Session, query: ListQuery, { total, pages }: Page, table: Html): Html {
  const options = actionsOf(session).map(
    (action) => html`<option value="${action}">${ACTION_LABELS[action].choice}</option>`,
  );
  return html`<form class="actions" method="get" action="/admin/manifests/confirm/">
${[...new URLSearchParams(listSearch(query))].map(
  ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">
`,
)}<div class="bar-of-actions">
<label for="action">With selected manifests</label>
<select id="action" name="action" required><option value="">choose an action</option>${options}</select>
<button type="submit">Continue</button>
${pages > 1 && html`<label class="all"><input type="checkbox" name="all" value="yes"> all ${counted(total, 'manifest')} that fit</label>`}
<span class="hint" id="selected" role="status"></span>
</div>
${table}
</form>`;
}

/** The actions that the account may use. */
function actionsOf({ role }: Session): readonly Action[] {
  return ACTIONS.filter((action) => includes(role, ACTION_ROLES[action]));
}

function manifestTable(session: Session, query: ListQuery, { page, logStates }: ListParts): Html {
  const canSelect = actionsOf(session).length > 0;
  const all = html`<th scope="col" class="check"><span class="quiet">Select</span></th>`;
  const head = (sort: Sort, label: string, isNumber = false) => sortable(query, sort, label, isNumber);
  return html`<div class="table" role="group" aria-labelledby="found" tabindex="0"><table>
<thead><tr>${canSelect && all}
${head('id', 'Manifest')}${head('title', 'Title')}${head('signer', 'Signer')}${head('uploaded', 'Uploaded')}${head('size', 'Size', true)}
<th scope="col">Trusted</th><th scope="col" class="number">Bindings</th><th scope="col" class="number">Units</th>
<th scope="col">Declaration</th><th scope="col">ISCC-ID and hub</th>${logStates && html`<th scope="col">In the log</th>`}<th scope="col">Deleted</th>
</tr></thead>
<tbody>${page.rows.map((row) => tableRow(row, query, canSelect, logStates))}</tbody>
</table></div>`;
}

/** A head that sorts by its column; a second click reverses the order. */
function sortable(query: ListQuery, sort: Sort, label: string, isNumber: boolean): Html {
  const order = listOrder(query);
  const isCurrent = order.sort === sort;
  const first = listOrder({ ...query, sort, dir: undefined }).isAscending;
  const dir = (isCurrent ? !order.isAscending : first) ? 'asc' : 'desc';
  const now = isCurrent && html` aria-sort="${order.isAscending ? 'ascending' : 'descending'}"`;
  const link = `/admin/manifests/${listSearch({ ...query, sort, dir, page: 1 })}`;
  return html`<th scope="col"${isNumber && html` class="number"`}${now}><a href="${link}">${label}</a></th>`;
}

function tableRow(row: Row, query: ListQuery, canSelect: boolean, logStates: LogStates): Html {
  const ofSigner = listSearch({ ...query, signer: row.signer, page: 1 });
  const box = html`<td class="check"><input type="checkbox" name="key" value="${row.key}" aria-label="Select ${row.manifestId}"></td>`;
  return html`<tr${!row.isLive && html` class="gone"`}>${canSelect && box}
<th scope="row"><a href="/admin/manifests/${row.key}/">${row.manifestId}</a></th>
<td class="title">${row.title}</td><td class="signer">${row.signer && html`<a href="/admin/manifests/${ofSigner}">${row.signer}</a>`}</td>
<td>${moment(row.uploadedAt)}</td><td class="number">${bytes(row.bytes)}</td><td>${yesNo(row.isTrusted)}</td>
<td class="number">${row.bindings}</td><td class="number">${row.units}</td>
<td>${declarationBadge(row.status, row.isWithdrawing)}</td><td class="hub">${row.isccId && html`<code>${row.isccId}</code><br>`}${row.hub}</td>${logStates && html`<td>${logState(logStates.get(row.key))}</td>`}
<td>${row.deletedAt === undefined ? 'no' : moment(row.deletedAt)}${row.keptUntil !== undefined && html` <span class="badge">can be restored until ${moment(row.keptUntil)}</span>`}</td></tr>
`;
}

function logState(state: LogState | undefined): Value {
  switch (state?.kind) {
    case 'logged':
      return `yes, entry ${state.leaf}`;
    case 'waiting':
      return 'not yet';
    case 'missing':
      return html`<span class="error">missing</span>`;
    case undefined:
      return undefined;
  }
}

function pagination(query: ListQuery, { page, pages }: Page): Html {
  const link = (to: number, label: Value, isPossible: boolean) =>
    isPossible
      ? html`<a class="button second" href="/admin/manifests/${listSearch({ ...query, page: to })}">${label}</a>`
      : html`<span class="button second" aria-disabled="true">${label}</span>`;
  return html`<nav class="pages" aria-label="Pages">
${link(1, 'First', page > 1)} ${link(page - 1, 'Previous', page > 1)}
<span>Page ${page} of ${pages}</span>
${link(page + 1, 'Next', page < pages)} ${link(pages, 'Last', page < pages)}
</nav>`;
}
