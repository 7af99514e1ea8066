/** Table of manifests with search, filters, pages and actions. */
import type { Page, Row } from '../overview.js';
import { ACTIONS, type ListQuery, listSearch, STATUSES } from '../schema.js';
import type { Session } from '../sessions.js';
import { ACTION_LABELS } from './action-labels.js';
import { type Html, html, type Value } from './html.js';
import { layout } from './layout.js';
import { bytes, counted, moment, statusBadge, yesNo } from './text.js';

export function listPage(session: Session, query: ListQuery, page: Page): Html {
  const table =
    page.rows.length === 0 ? html`<p>No manifest matches.</p>` : manifestTable(session, page.rows);
  return layout({
    title: 'Manifests',
    session,
    at: 'manifests',
    body: html`<h1>Manifests</h1>
<section aria-label="Search and filters">${filters(query)}</section>
<section aria-labelledby="found">
<div class="table-head">
<h2 id="found">${counted(page.total, 'manifest')}</h2>
${pagination(query, page)}
</div>
${session.canDelete ? withActions(session, query, table) : table}
${page.pages > 1 && pagination(query, page)}
</section>`,
  });
}

function filters({ q, status, deleted, trusted }: ListQuery): Html {
  return html`<form class="filters" method="get" action="/admin/manifests/" role="search">
<div class="grow"><label for="q">Manifest id contains</label>
<input id="q" name="q" type="search" value="${q}" maxlength="255" autocapitalize="off" spellcheck="false"></div>
${select('status', 'Declaration', status, STATUSES)}
${select('deleted', 'Deleted', deleted, ['no', 'yes'])}
${select('trusted', 'Trusted signer', trusted, ['yes', 'no'])}
<button type="submit">Search</button>
<a class="button second" href="/admin/manifests/">Reset</a>
</form>`;
}

function select(name: string, label: string, chosen: string | undefined, values: readonly string[]): Html {
  const options = values.map(
    (value) => html`<option value="${value}"${value === chosen && html` selected`}>${value}</option>`,
  );
  return html`<div><label for="${name}">${label}</label>
<select id="${name}" name="${name}"><option value="">any</option>${options}</select></div>`;
}

/** The form encloses the table, so that its check boxes work without a script. */
function withActions({ csrf }: Session, query: ListQuery, table: Html): Html {
  const options = ACTIONS.map(
    (action) => html`<option value="${action}">${ACTION_LABELS[action].choice}</option>`,
  );
  return html`<form class="actions" method="post" action="/admin/manifests/">
<input type="hidden" name="csrf" value="${csrf}">
<input type="hidden" name="back" value="${listSearch(query)}">
<div class="bar-of-actions">
<label for="action">With selected manifests</label>
<select id="action" name="action" required><option value="">choose an action</option>${options}</select>
<button type="submit">Continue</button>
<span class="hint" id="selected" role="status"></span>
</div>
${table}
</form>`;
}

function manifestTable({ canDelete }: Session, rows: readonly Row[]): Html {
  const all = html`<th scope="col" class="check"><span class="quiet">Select</span></th>`;
  return html`<div class="table" role="region" aria-labelledby="found" tabindex="0"><table>
<thead><tr>${canDelete && all}
<th scope="col">Manifest</th><th scope="col">Uploaded</th><th scope="col" class="number">Size</th>
<th scope="col">Trusted</th><th scope="col" class="number">Bindings</th><th scope="col" class="number">Units</th>
<th scope="col">Declaration</th><th scope="col">ISCC-ID</th><th scope="col">Hub</th><th scope="col">Deleted</th>
</tr></thead>
<tbody>${rows.map((row) => tableRow(row, canDelete))}</tbody>
</table></div>`;
}

function tableRow(row: Row, canDelete: boolean): Html {
  const box = html`<td class="check"><input type="checkbox" name="key" value="${row.key}" aria-label="Select ${row.manifestId}"></td>`;
  return html`<tr${!row.isLive && html` class="gone"`}>${canDelete && box}
<th scope="row"><a href="/admin/manifests/${row.key}/">${row.manifestId}</a></th>
<td>${moment(row.uploadedAt)}</td><td class="number">${bytes(row.bytes)}</td><td>${yesNo(row.isTrusted)}</td>
<td class="number">${row.bindings}</td><td class="number">${row.units}</td>
<td>${statusBadge(row.status)}</td><td>${row.isccId && html`<code>${row.isccId}</code>`}</td><td class="hub">${row.hub}</td>
<td>${row.deletedAt === undefined ? 'no' : moment(row.deletedAt)}</td></tr>
`;
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
