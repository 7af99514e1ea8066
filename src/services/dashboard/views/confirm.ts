/** Confirmation page of an action. */

import type { Session } from '../accounts/sessions.js';
import type { Chosen } from '../overview.js';
import type { Action } from '../schema.js';
import { FITTING_MAX, type Fitting } from '../service.js';
import { ACTION_LABELS } from './action-labels.js';
import { type Html, html } from './html.js';
import { layout } from './layout.js';
import { count, counted, declarationBadge } from './text.js';

export interface ConfirmParts {
  readonly chosen: readonly Chosen[];
  /** All manifests that fit the search in `back`, of which `chosen` are the first ones. */
  readonly fitting: Fitting | undefined;
  readonly back: string;
  readonly undoDays: number;
}

export function confirmPage(
  session: Session,
  action: Action,
  { chosen, fitting, back, undoDays }: ConfirmParts,
): Html {
  const { question, consequence, button } = ACTION_LABELS[action];
  const total = Math.min(fitting?.total ?? chosen.length, fitting ? FITTING_MAX : chosen.length);
  const items = chosen.map(
    (
      row,
    ) => html`<li>${!fitting && html`<input type="hidden" name="key" value="${row.key}">`}<code>${row.manifestId}</code> ${row.title}
${declarationBadge(row.status, row.isWithdrawing)} ${!row.isLive && html`<span class="badge">deleted</span>`}</li>
`,
  );
  return layout({
    title: question,
    session,
    at: 'manifests',
    body: html`<section aria-labelledby="title">
<h1 id="title">${question}</h1>
<p>${consequence(undoDays)}</p>
<form method="post" action="/admin/manifests/">
<input type="hidden" name="csrf" value="${session.csrf}">
<input type="hidden" name="action" value="${action}">
<input type="hidden" name="confirmed" value="yes">
<input type="hidden" name="back" value="${back}">
${fitting && fittingFields(fitting)}<ul class="chosen" tabindex="0" aria-label="Chosen manifests">${items}</ul>
<div class="buttons">
<button type="submit"${action === 'delete' && html` class="danger"`}>${button} ${counted(total, 'manifest')}</button>
<a class="button second" href="/admin/manifests/${back}">Cancel</a>
</div>
</form>
</section>`,
  });
}

function fittingFields({ total, upTo, newest }: Fitting): Html {
  const limit = html` At most ${count(FITTING_MAX)} are done at once: repeat the action for the others.`;
  return html`<input type="hidden" name="all" value="yes"><input type="hidden" name="upTo" value="${upTo}">
<p>All ${counted(total, 'manifest')} that fit the search${newest.length < total && html`; these are the newest`}.${total > FITTING_MAX && limit}</p>
`;
}
