/** Start page: counts of manifests, bindings and declarations, and what happened in the last days. */
import type { IndexStatus } from '../../../storage/database/index-status.js';
import type { Session } from '../accounts/sessions.js';
import type { Activity } from '../activity.js';
import { type Counts, REJUDGED_DAYS } from '../overview.js';
import type { HubView } from '../port.js';
import { auditSearch, listSearch, STATUSES } from '../schema.js';
import { activitySections } from './activity.js';
import { type Html, html } from './html.js';
import { layout } from './layout.js';
import { count, counted, moment, statusBadge } from './text.js';

/** @param hubs the hubs that this process follows; `undefined` if it follows none */
export function dashboardPage(
  session: Session,
  { counts, activity, hubs }: { counts: Counts; activity: Activity; hubs?: readonly HubView[] | undefined },
): Html {
  return layout({
    title: 'Overview',
    session,
    at: 'overview',
    body: html`<h1>Overview</h1>
<div class="cards">
${manifests(session, counts)}
${activitySections(activity)}
${bindings(counts)}
${declarations(counts)}
${indexes(counts)}
${hubs && network(hubs)}
</div>`,
  });
}

function manifests(session: Session, { live, deleted, rejudged }: Counts): Html {
  return html`<section aria-labelledby="manifests">
<h2 id="manifests">Manifests</h2>
<dl class="metrics">
<div><dt><a href="/admin/manifests/${listSearch({ deleted: 'no' })}">Live</a></dt><dd>${count(live)}</dd></div>
<div><dt><a href="/admin/manifests/${listSearch({ deleted: 'yes' })}">Deleted</a></dt><dd>${count(deleted)}</dd></div>
${rejudged > 0 && html`<div><dt>${verdicts(session)}</dt><dd>${count(rejudged)}</dd></div>`}
</dl>
</section>`;
}

/** Only admins may read the audit log, which has the list. */
function verdicts({ role }: Session): Html {
  const label = `Verdict changed in ${REJUDGED_DAYS} days`;
  if (role !== 'admin') return html`${label}`;
  return html`<a href="/admin/audit/${auditSearch({ action: 'manifest-rejudged' })}">${label}</a>`;
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

function indexes({ indexes: rows }: Counts): Html | undefined {
  if (rows.length === 0) return undefined;
  const items = rows.map(
    (row) =>
      html`<div><dt><code>${row.indexId}</code><br>${indexState(row)}</dt><dd>${count(row.synced)}</dd></div>`,
  );
  return html`<section aria-labelledby="indexes">
<h2 id="indexes">Similarity indexes</h2>
<p class="hint">Manifests in each index that resolvers read</p>
<dl class="metrics">${items}</dl>
</section>`;
}

function indexState(row: IndexStatus): Html {
  if (row.error !== undefined) return html`failing since ${moment(row.failingSince ?? 0)}: ${row.error}`;
  if (!row.isFed) return html`no store feeds it now`;
  if (row.isFilling) return html`being filled: ${count(row.total)} manifests in total`;
  return row.behind > 0 ? html`${counted(row.behind, 'change')} behind` : html`in sync`;
}

function network(hubs: readonly HubView[]): Html {
  const items = hubs.map(
    ({ hub_id, state, cursor, tree_size, alarm }) => html`<div><dt>Hub ${hub_id}: ${state}</dt>
<dd>${count(cursor)} of ${tree_size === null ? '?' : count(tree_size)}</dd>${
      alarm && html`<dd class="error" role="alert">Alarm: ${alarm.kind} since ${alarm.since}</dd>`
    }</div>`,
  );
  return html`<section aria-labelledby="network">
<h2 id="network">Network</h2>
<p class="hint">Entries of the hubs' logs that this node verified</p>
${items.length === 0 ? html`<p>No hubs yet.</p>` : html`<dl class="metrics">${items}</dl>`}
</section>`;
}
