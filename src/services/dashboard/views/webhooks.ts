/** Page of webhooks: receivers, their last outcomes, and the events that wait for them. */

import type { Session } from '../accounts/sessions.js';
import type { NewWebhook, WaitingDelivery, WebhookView } from '../port.js';
import { type Html, html } from './html.js';
import { layout } from './layout.js';
import { count, counted, moment } from './text.js';

export interface WebhooksParts {
  readonly receivers: readonly WebhookView[];
  /** The oldest events that wait, of all receivers. */
  readonly waiting: readonly WaitingDelivery[];
  /** All types of events. */
  readonly types: readonly string[];
  /** A webhook that was just created: its secret is shown once. */
  readonly created?: NewWebhook | undefined;
}

export function webhooksPage(session: Session, { receivers, waiting, types, created }: WebhooksParts): Html {
  return layout({
    title: 'Webhooks',
    session,
    at: 'webhooks',
    body: html`<h1>Webhooks</h1>
${created && newSecret(created)}
<section aria-labelledby="found">
<h2 id="found">${counted(receivers.length, 'webhook')}</h2>
${receivers.length === 0 ? html`<p>None yet.</p>` : table(session, receivers, types)}
</section>
${waiting.length > 0 && outbox(waiting)}
${addition(session, types)}`,
  });
}

function newSecret({ key, url, secret }: NewWebhook): Html {
  return html`<section aria-labelledby="created" role="status">
<h2 id="created">Secret of webhook ${key}</h2>
<p>${url} gets events signed with this secret. Copy it now, it is not shown again.</p>
<pre><code>${secret}</code></pre>
</section>`;
}

function table(session: Session, receivers: readonly WebhookView[], types: readonly string[]): Html {
  return html`<div class="table" role="group" aria-labelledby="found" tabindex="0"><table>
<thead><tr><th scope="col">Number</th><th scope="col">Address</th><th scope="col">Events</th><th scope="col">State</th>
<th scope="col">Delivered</th><th scope="col">Waiting</th><th scope="col">Failed attempts</th><th scope="col">Change</th></tr></thead>
<tbody>${receivers.map((receiver) => row(session, receiver, types))}</tbody>
</table></div>`;
}

function row(session: Session, receiver: WebhookView, types: readonly string[]): Html {
  const { key, url, disabledAt, delivered, deliveredAt, failed, lastFailure, waiting } = receiver;
  const events = receiver.types.length === types.length ? 'all' : receiver.types.join(', ');
  const state =
    disabledAt === undefined
      ? 'enabled'
      : html`<span class="badge failed">disabled</span> ${moment(disabledAt)}`;
  return html`<tr><th scope="row">${key}</th><td class="id">${url ?? 'MSTORE_WEBHOOK_URL'}</td><td>${events}</td><td>${state}</td>
<td>${count(delivered)}${deliveredAt !== undefined && html`, last ${moment(deliveredAt)}`}</td><td>${count(waiting)}</td>
<td>${count(failed)}${lastFailure && html`, last ${moment(lastFailure.at)}<br>${lastFailure.error}`}</td>
<td>${url === undefined ? 'by the configuration' : changes(session, receiver)}</td></tr>
`;
}

function changes({ csrf }: Session, { key, disabledAt }: WebhookView): Html {
  const button = (action: string, label: string) =>
    html`<button type="submit" class="second" name="action" value="${action}" aria-label="${label} webhook ${key}">${label}</button>`;
  return html`<form class="inline" method="post" action="/admin/webhooks/">
<input type="hidden" name="csrf" value="${csrf}"><input type="hidden" name="key" value="${key}">
${disabledAt === undefined ? button('disable', 'Disable') : html`${button('enable', 'Enable')} ${button('delete', 'Delete')}`}</form>`;
}

function outbox(waiting: readonly WaitingDelivery[]): Html {
  return html`<section aria-labelledby="waiting">
<h2 id="waiting">Waiting events, oldest first</h2>
<div class="table" role="group" aria-labelledby="waiting" tabindex="0"><table>
<thead><tr><th scope="col">Event</th><th scope="col">Type</th><th scope="col">Webhook</th><th scope="col">Since</th>
<th scope="col">Attempts</th><th scope="col">Next attempt</th><th scope="col">Last error</th></tr></thead>
<tbody>${waiting.map(waitingRow)}</tbody>
</table></div>
</section>`;
}

function waitingRow({ webhook, eventId, type, at, attempts, nextAt, error }: WaitingDelivery): Html {
  return html`<tr><th scope="row" class="id">${eventId}</th><td>${type}</td><td>${webhook}</td><td>${moment(at)}</td>
<td>${count(attempts)}</td><td>${moment(nextAt)}</td><td>${error}</td></tr>
`;
}

function addition({ csrf }: Session, types: readonly string[]): Html {
  const boxes = types.map(
    (type) => html`<label><input type="checkbox" name="type" value="${type}" checked> ${type}</label> `,
  );
  return html`<section aria-labelledby="add">
<h2 id="add">Create a webhook</h2>
<p class="hint">Its address must be public and begin with https. Disable it to keep its events until it is enabled again;
a disabled one can be deleted.</p>
<form class="filters" method="post" action="/admin/webhooks/">
<input type="hidden" name="csrf" value="${csrf}">
<div class="grow"><label for="url">Address</label>
<input id="url" name="url" type="url" maxlength="2000" autocomplete="off" autocapitalize="off" spellcheck="false" required></div>
<fieldset><legend>Events</legend>${boxes}</fieldset>
<button type="submit" name="action" value="add">Create</button>
</form>
</section>`;
}
