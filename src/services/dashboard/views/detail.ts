/** Page of one manifest. */
import type { DeclarationRow } from '../../../storage/database/tables.js';
import { ACTION_ROLES, includes } from '../accounts/roles.js';
import type { Session } from '../accounts/sessions.js';
import type { Binding, Detail, Relation } from '../detail.js';
import type { Pictured } from '../port.js';
import type { Action } from '../schema.js';
import { ACTION_LABELS } from './action-labels.js';
import { type Html, html, type Value } from './html.js';
import { layout } from './layout.js';
import { bytes, count, declarationBadge, moment, yesNo } from './text.js';

export function detailPage(session: Session, detail: Pictured<Detail>): Html {
  const { manifest, bindings, declaration } = detail;
  return layout({
    title: manifest.manifest_id,
    session,
    at: 'manifests',
    body: html`<p class="crumbs"><a href="/admin/manifests/">Manifests</a></p>
<h1 class="id">${manifest.manifest_id}</h1>
${manifestSection(detail)}
${summarySection(detail)}
${relationsSection('ingredients', 'Ingredients', detail.ingredients)}
${relationsSection('used-by', 'Used by', detail.usedBy)}
${declaration && declarationSection(declaration, manifest.live === 1)}
${bindingsSection(bindings)}
${actionsSection(session, manifest)}`,
  });
}

const trustedBy = (list = '') => (list === '' ? 'yes' : `yes, by the list ${list}`);

function manifestSection({ manifest, summary: { trustList } }: Detail): Html {
  const path = `/v1/manifests/${encodeURIComponent(manifest.manifest_id)}`;
  return html`<section aria-labelledby="manifest">
<h2 id="manifest">Manifest</h2>
${facts([
  ['State', manifest.live === 1 ? 'live' : 'deleted'],
  ['Uploaded', moment(manifest.uploaded_at)],
  ['Deleted', manifest.deleted_at === null ? undefined : moment(manifest.deleted_at)],
  ['Can be restored until', manifest.kept_until === null ? undefined : moment(manifest.kept_until)],
  ['Restored', manifest.restored_at === null ? undefined : moment(manifest.restored_at)],
  ['Size', `${bytes(manifest.size)} (${count(manifest.size)} bytes)`],
  ['SHA-256', html`<code>${manifest.sha256}</code>`],
  ['Trusted signer', manifest.trusted === 1 ? trustedBy(trustList) : yesNo(false)],
  ['Algorithms not on the list', manifest.unknown_algorithms],
  ['Uploader', html`<code>${manifest.uploader}</code>`],
  [
    'Bytes',
    manifest.live === 1 &&
      html`<a href="${path}" download="${manifest.manifest_id}.c2pa">Download the Manifest Store</a>`,
  ],
])}
</section>`;
}

/** What the manifest says. Texts are claims of its signer. */
function summarySection({ manifest: { key }, summary, hasThumbnail }: Pictured<Detail>): Html | undefined {
  if (Object.keys(summary).length === 0) return undefined;
  const { title, actions = [], failures = [], training = {} } = summary;
  const picture = html`<img class="thumbnail" src="/admin/manifests/${key}/thumbnail/" alt="Thumbnail of ${title ?? 'the asset'}">`;
  const list = (items: readonly string[]) =>
    items.length > 0 && html`<ul class="plain">${items.map((item) => html`<li>${item}</li>`)}</ul>`;
  return html`<section aria-labelledby="summary">
<h2 id="summary">Content</h2>
${hasThumbnail && picture}
${facts([
  ['Validation at the last check', summary.state],
  ['Failures', list(failures)],
  ['Title', title],
  ['Format', summary.format],
  ['Signer', summary.signer],
  ['Issuer', summary.issuer],
  ['Signed', summary.time],
  ['Time-stamp counts', summary.timeStampList === undefined ? undefined : trustedBy(summary.timeStampList)],
  ['Trusted identity', summary.identityList === undefined ? undefined : trustedBy(summary.identityList)],
  ['Program', summary.claimGenerator],
  [
    'Actions',
    list(
      actions.map(({ action, when, digitalSourceType }) =>
        [action, when, digitalSourceType].filter(Boolean).join(', '),
      ),
    ),
  ],
  ['AI training and data mining', list(Object.entries(training).map(([use, rule]) => `${use}: ${rule}`))],
])}
</section>`;
}

function relationsSection(id: string, heading: string, relations: readonly Relation[]): Html | undefined {
  if (relations.length === 0) return undefined;
  const items = relations.map(({ key, manifestId, title, relationship }) => {
    const name = html`<code>${manifestId || 'without a manifest'}</code>`;
    return html`<li>${key === undefined ? name : html`<a href="/admin/manifests/${key}/">${name}</a>`} ${title} <span class="badge">${relationship}</span></li>
`;
  });
  return html`<section aria-labelledby="${id}">
<h2 id="${id}">${heading}</h2>
<ul class="plain">${items}</ul>
</section>`;
}

function declarationSection(row: DeclarationRow, isLive: boolean): Html {
  return html`<section aria-labelledby="declaration">
<h2 id="declaration">Declaration</h2>
${facts([
  ['Status', declarationBadge(row.status, !isLive && row.open === 1)],
  ['ISCC-ID', row.iscc_id && html`<code>${row.iscc_id}</code>`],
  ['Hub', row.hub],
  ['Hub id', row.hub_id],
  ['Public key', row.pubkey && html`<code>${row.pubkey}</code>`],
  ['Attempts', row.attempts],
  ['Last attempt', row.attempted_at ? moment(row.attempted_at) : undefined],
  ['Last error', row.error && html`<span class="error">${row.error}</span>`],
  ['Declared', row.fields && html`<pre>${indented(row.fields)}</pre>`],
  ['Note', row.note && html`<pre>${indented(row.note)}</pre>`],
])}
</section>`;
}

function bindingsSection(bindings: readonly Binding[]): Html {
  const items = bindings.map(
    ({ alg, value, units, isAlternate, isAdded }) => html`<li><h3><code>${alg}</code></h3>
${isAlternate && html`<p class="hint">Another reading of the value above</p>`}
${isAdded && html`<p class="hint">Added by its publisher; the manifest does not name it</p>`}
${facts([
  ['Value', html`<code>${value.toString('base64')}</code>`],
  [
    'ISCC-UNITs',
    units.length > 0 &&
      html`<ul class="plain">${units.map((unit) => html`<li><code>${unit}</code></li>`)}</ul>`,
  ],
])}</li>
`,
  );
  return html`<section aria-labelledby="bindings">
<h2 id="bindings">Bindings</h2>
${items.length === 0 ? html`<p>This manifest has no indexed bindings.</p>` : html`<ol class="bindings">${items}</ol>`}
</section>`;
}

const LIVE_ACTIONS: readonly Action[] = ['retry', 'delete'];
const TOMBSTONE_ACTIONS: readonly Action[] = ['retry', 'release'];
const KEPT_ACTIONS: readonly Action[] = ['restore', 'retry', 'release'];

/** The form of the list, with one manifest selected. */
function actionsSection({ role }: Session, manifest: Detail['manifest']): Html | undefined {
  const { key, live, kept_until } = manifest;
  const possible = live === 1 ? LIVE_ACTIONS : kept_until === null ? TOMBSTONE_ACTIONS : KEPT_ACTIONS;
  const allowed = possible.filter((action) => includes(role, ACTION_ROLES[action]));
  if (allowed.length === 0) return undefined;
  const buttons = allowed.map(
    (action) =>
      html`<button type="submit" name="action" value="${action}" class="second">${ACTION_LABELS[action].choice}</button> `,
  );
  return html`<section aria-labelledby="actions">
<h2 id="actions">Actions</h2>
<form method="get" action="/admin/manifests/confirm/">
<input type="hidden" name="key" value="${key}">
<div class="buttons">${buttons}</div>
</form>
</section>`;
}

function facts(rows: readonly (readonly [string, Value])[]): Html {
  const present = rows.filter(
    ([, value]) => value !== undefined && value !== null && value !== false && value !== '',
  );
  return html`<dl>${present.map(
    ([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>
`,
  )}</dl>`;
}

function indented(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json;
  }
}
