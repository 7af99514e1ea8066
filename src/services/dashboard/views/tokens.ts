/** Page of the upload tokens of publishers. */

import type { Session } from '../accounts/sessions.js';
import type { NewToken, TokenView } from '../port.js';
import { type Html, html } from './html.js';
import { layout } from './layout.js';
import { counted, moment } from './text.js';

export interface TokensParts {
  readonly tokens: readonly TokenView[];
  /** All that a token can have. */
  readonly scopes: readonly string[];
  /** A token that was just created: shown once. */
  readonly created?: NewToken;
}

export function tokensPage(session: Session, { tokens, scopes, created }: TokensParts): Html {
  return layout({
    title: 'Upload tokens',
    session,
    at: 'tokens',
    body: html`<h1>Upload tokens</h1>
${created && newToken(created)}
<section aria-labelledby="found">
<h2 id="found">${counted(tokens.length, 'token')}</h2>
${tokens.length === 0 ? html`<p>None yet.</p>` : table(session, tokens)}
</section>
${addition(session, scopes)}`,
  });
}

function newToken({ key, publisher, token }: NewToken): Html {
  return html`<section aria-labelledby="created" role="status">
<h2 id="created">Token ${key} of ${publisher}</h2>
<p>Copy it now. It is not shown again: the database has only its hash.</p>
<pre><code>${token}</code></pre>
</section>`;
}

function table(session: Session, tokens: readonly TokenView[]): Html {
  return html`<div class="table" role="group" aria-labelledby="found" tabindex="0"><table>
<thead><tr><th scope="col">Number</th><th scope="col">Publisher</th><th scope="col">State</th><th scope="col">Scopes</th>
<th scope="col">Created</th><th scope="col">Expires</th><th scope="col">Last use</th><th scope="col">Change</th></tr></thead>
<tbody>${tokens.map((token) => row(session, token))}</tbody>
</table></div>`;
}

function row({ csrf }: Session, { key, publisher, scopes, ...times }: TokenView): Html {
  const { createdAt, expiresAt, revokedAt, usedAt } = times;
  const isExpired = expiresAt !== undefined && expiresAt <= Date.now();
  const state =
    revokedAt !== undefined
      ? html`<span class="badge failed">revoked</span> ${moment(revokedAt)}`
      : isExpired
        ? html`<span class="badge failed">expired</span>`
        : 'valid';
  const revocation = html`<form class="inline" method="post" action="/admin/tokens/">
<input type="hidden" name="csrf" value="${csrf}"><input type="hidden" name="key" value="${key}">
<button type="submit" class="second" name="action" value="revoke" aria-label="Revoke token ${key} of ${publisher}">Revoke</button></form>`;
  return html`<tr><th scope="row">${key}</th><td>${publisher}</td><td>${state}</td><td>${scopes.join(', ')}</td>
<td>${moment(createdAt)}</td><td>${expiresAt === undefined ? 'never' : moment(expiresAt)}</td>
<td>${usedAt === undefined ? 'never used' : moment(usedAt)}</td><td>${revokedAt === undefined && revocation}</td></tr>
`;
}

function addition({ csrf }: Session, scopes: readonly string[]): Html {
  const boxes = scopes.map(
    (scope) => html`<label><input type="checkbox" name="scope" value="${scope}" checked> ${scope}</label> `,
  );
  return html`<section aria-labelledby="add">
<h2 id="add">Create a token</h2>
<p class="hint">A publisher may have two valid tokens, so that one can replace the other.</p>
<form class="filters" method="post" action="/admin/tokens/">
<input type="hidden" name="csrf" value="${csrf}">
<div><label for="publisher">Publisher</label>
<input id="publisher" name="publisher" maxlength="64" autocomplete="off" autocapitalize="off" spellcheck="false" required></div>
<fieldset><legend>Scopes</legend>${boxes}</fieldset>
<div><label for="days">Days until it expires (empty: never)</label>
<input id="days" name="days" inputmode="numeric" pattern="[1-9][0-9]{0,4}" maxlength="5"></div>
<button type="submit" name="action" value="add">Create</button>
</form>
</section>`;
}
