/** Start page: counts of manifests, bindings and declarations. */
import type { Counts } from '../overview.js';
import { listSearch, STATUSES } from '../schema.js';
import type { Session } from '../sessions.js';
import { type Html, html } from './html.js';
import { layout } from './layout.js';
import { count, statusBadge } from './text.js';

export function dashboardPage(session: Session, counts: Counts): Html {
  return layout({
    title: 'Overview',
    session,
    at: 'overview',
    body: html`<h1>Overview</h1>
<div class="cards">
${manifests(counts)}
${bindings(counts)}
${declarations(counts)}
</div>`,
  });
}

function manifests({ live, deleted }: Counts): Html {
  return html`<section aria-labelledby="manifests">
<h2 id="manifests">Manifests</h2>
<dl class="metrics">
<div><dt><a href="/admin/manifests/${listSearch({ deleted: 'no' })}">Live</a></dt><dd>${count(live)}</dd></div>
<div><dt><a href="/admin/manifests/${listSearch({ deleted: 'yes' })}">Deleted</a></dt><dd>${count(deleted)}</dd></div>
</dl>
</section>`;
}

function bindings({ bindings: rows }: Counts): Html {
  const items = rows.map(
    (row) => html`<div><dt><code>${row.alg}</code></dt><dd>${count(row.bindings)}</dd></div>`,
  );
  return html`<section aria-labelledby="bindings">
<h2 id="bindings">Bindings</h2>
<p class="hint">Indexed soft bindings of live manifests, by algorithm</p>
${items.length === 0 ? html`<p>None yet.</p>` : html`<dl class="metrics">${items}</dl>`}
</section>`;
}

function declarations({ declarations: rows }: Counts): Html {
  const items = STATUSES.flatMap((status) => {
    const found = rows.find((row) => row.status === status);
    if (found === undefined) return [];
    const link = `/admin/manifests/${listSearch({ status, deleted: 'no' })}`;
    return [
      html`<div><dt><a href="${link}">${statusBadge(status)}</a></dt><dd>${count(found.manifests)}</dd></div>`,
    ];
  });
  return html`<section aria-labelledby="declarations">
<h2 id="declarations">Declarations</h2>
<p class="hint">Declarations of live manifests, by status</p>
${items.length === 0 ? html`<p>None yet.</p>` : html`<dl class="metrics">${items}</dl>`}
</section>`;
}
