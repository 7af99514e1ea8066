/** Confirmation page of an action. */
import type { Chosen } from '../overview.js';
import type { Action } from '../schema.js';
import type { Session } from '../sessions.js';
import { ACTION_LABELS } from './action-labels.js';
import { type Html, html } from './html.js';
import { layout } from './layout.js';
import { counted, statusBadge } from './text.js';

export function confirmPage(session: Session, action: Action, chosen: readonly Chosen[], back: string): Html {
  const { question, consequence, button } = ACTION_LABELS[action];
  const items = chosen.map(
    (row) => html`<li><input type="hidden" name="key" value="${row.key}"><code>${row.manifestId}</code>
${statusBadge(row.status)} ${!row.isLive && html`<span class="badge">deleted</span>`}</li>
`,
  );
  return layout({
    title: question,
    session,
    at: 'manifests',
    body: html`<section aria-labelledby="title">
<h1 id="title">${question}</h1>
<p>${consequence}</p>
<form method="post" action="/admin/manifests/">
<input type="hidden" name="csrf" value="${session.csrf}">
<input type="hidden" name="action" value="${action}">
<input type="hidden" name="confirmed" value="yes">
<input type="hidden" name="back" value="${back}">
<ul class="chosen">${items}</ul>
<div class="buttons">
<button type="submit"${action === 'delete' && html` class="danger"`}>${button} ${counted(chosen.length, 'manifest')}</button>
<a class="button second" href="/admin/manifests/${back}">Cancel</a>
</div>
</form>
</section>`,
  });
}
