/** Manifests that match a posted file. */

import { ACTION_ROLES, includes } from '../accounts/roles.js';
import type { Session } from '../accounts/sessions.js';
import type { MatchedRow } from '../overview.js';
import { ACTIONS } from '../schema.js';
import { ACTION_LABELS } from './action-labels.js';
import { type Html, html } from './html.js';
import { layout } from './layout.js';
import { bytes, counted, moment, statusBadge, yesNo } from './text.js';

/** A match with its score. */
export type Scored = MatchedRow & { readonly score: number };

export interface MatchesParts {
  /** ISCC-CODE of the file. */
  readonly iscc: string;
  /** Best first. */
  readonly found: readonly Scored[];
  /** Largest file to search with. */
  readonly fileBytesMax: number;
}

export function matchesPage(session: Session, { iscc, found, fileBytesMax }: MatchesParts): Html {
  return layout({
    title: 'Matches of a file',
    session,
    at: 'manifests',
    body: html`<p class="crumbs"><a href="/admin/manifests/">Manifests</a></p>
<h1>Matches of a file</h1>
<p>ISCC-CODE of the file: <code>${iscc}</code></p>
<section aria-labelledby="found">
<h2 id="found">${counted(found.length, 'matching manifest')}</h2>
${found.length === 0 ? html`<p>No manifest matches.</p>` : withActions(session, found)}
</section>
${searchForm(session, fileBytesMax)}`,
  });
}

/** The form that posts a file. A file can be dropped on its field. The script checks the length before it is sent. */
export function searchForm({ csrf }: Session, bytesMax: number): Html {
  return html`<section aria-labelledby="by-content">
<h2 id="by-content">Search with a file</h2>
<form class="filters" method="post" action="/admin/matches/" enctype="multipart/form-data">
<input type="hidden" name="csrf" value="${csrf}">
<div class="grow"><label for="file">Choose a picture or another file, or drop it here; it is not kept</label>
<input id="file" name="file" type="file" required data-bytes-max="${bytesMax}" data-too-large="The file is larger than ${bytes(bytesMax)}."></div>
<button type="submit">Find its manifests</button>
</form>
</section>`;
}

/** The form of the list. */
function withActions(session: Session, found: readonly Scored[]): Html {
  const allowed = ACTIONS.filter((action) => includes(session.role, ACTION_ROLES[action]));
  const canSelect = allowed.length > 0;
  const options = allowed.map(
    (action) => html`<option value="${action}">${ACTION_LABELS[action].choice}</option>`,
  );
  const bar = html`<div class="bar-of-actions">
<label for="action">With selected manifests</label>
<select id="action" name="action" required><option value="">choose an action</option>${options}</select>
<button type="submit">Continue</button>
<span class="hint" id="selected" role="status"></span>
</div>`;
  const table = html`<div class="table" role="group" aria-labelledby="found" tabindex="0"><table>
<thead><tr>${canSelect && html`<th scope="col" class="check"><span class="quiet">Select</span></th>`}
<th scope="col">Manifest</th><th scope="col" class="number">Score</th><th scope="col">Thumbnail</th><th scope="col">Title</th>
<th scope="col">Signer</th><th scope="col">Trusted</th><th scope="col">Uploaded</th><th scope="col">Declaration</th></tr></thead>
<tbody>${found.map((row) => tableRow(row, canSelect))}</tbody>
</table></div>`;
  if (!canSelect) return table;
  return html`<form class="actions" method="get" action="/admin/manifests/confirm/">${bar}
${table}
</form>`;
}

function tableRow(row: Scored, canSelect: boolean): Html {
  const { key, manifestId, title } = row;
  const box = html`<td class="check"><input type="checkbox" name="key" value="${key}" aria-label="Select ${manifestId}"></td>`;
  const picture = html`<img class="thumbnail" src="/admin/manifests/${key}/thumbnail/" alt="Thumbnail of ${title || 'the asset'}">`;
  return html`<tr>${canSelect && box}<th scope="row"><a href="/admin/manifests/${key}/">${manifestId}</a></th>
<td class="number">${row.score}</td><td>${row.hasThumbnail && picture}</td><td class="title">${title}</td><td class="signer">${row.signer}</td>
<td>${yesNo(row.isTrusted)}</td><td>${moment(row.uploadedAt)}</td><td>${statusBadge(row.status)}</td></tr>
`;
}
