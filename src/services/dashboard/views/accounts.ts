/** Page of the accounts: roles, locks, passwords. */
import { ROLES, type Role } from '../../../storage/database/tables.js';
import type { Account } from '../accounts/accounts.js';
import { ROLE_RIGHTS } from '../accounts/roles.js';
import type { Session } from '../accounts/sessions.js';
import { type Html, html, type Value } from './html.js';
import { layout } from './layout.js';
import { counted, moment } from './text.js';

export function accountsPage(session: Session, accounts: readonly Account[]): Html {
  return layout({
    title: 'Accounts',
    session,
    at: 'accounts',
    body: html`<h1>Accounts</h1>
<section aria-labelledby="found">
<h2 id="found">${counted(accounts.length, 'account')}</h2>
<div class="table" role="group" aria-labelledby="found" tabindex="0"><table>
<thead><tr><th scope="col">Name</th><th scope="col">Role</th><th scope="col">State</th><th scope="col">Second factor</th><th scope="col">Sessions</th><th scope="col">Last login</th><th scope="col">Created</th><th scope="col">Change</th></tr></thead>
<tbody>${accounts.map((account) => accountRow(session, account))}</tbody>
</table></div>
</section>
${addition(session)}
${passwordChange(session, accounts)}
<section aria-labelledby="roles">
<h2 id="roles">Roles</h2>
<dl>${ROLES.map(
      (role) => html`<dt>${role}</dt><dd>${ROLE_RIGHTS[role]}</dd>
`,
    )}</dl>
</section>`,
  });
}

function accountRow(session: Session, account: Account): Html {
  const { username, role, isDisabled, lockedUntil } = account;
  const isOwn = username === session.username;
  const state = isDisabled ? html`<span class="badge failed">disabled</span>` : 'enabled';
  const lock = lockedUntil && html` <span class="badge pending">locked until ${moment(lockedUntil)}</span>`;
  const button = (action: string, label: string) =>
    html`<button type="submit" class="second" name="action" value="${action}" aria-label="${label} ${username}">${label}</button> `;
  const changes = html`${!isOwn && (isDisabled ? button('enable', 'Enable') : button('disable', 'Disable'))}${lockedUntil && button('unlock', 'Unlock')}${!isOwn && account.sessions > 0 && button('end-sessions', 'End sessions')}`;
  return html`<tr><th scope="row">${username}${isOwn && html` <span class="hint">(you)</span>`}</th>
<td>${isOwn ? role : roleForm(session, account)}</td><td>${state}${lock}</td>
<td>${account.hasSecondFactor ? 'yes' : 'no'}</td><td>${account.sessions}</td>
<td>${account.lastLogin === undefined ? 'never' : moment(account.lastLogin)}</td><td>${moment(account.createdAt)}</td>
<td>${accountForm(session, username, changes)}</td></tr>
`;
}

function roleForm(session: Session, { username, role }: Account): Html {
  const field = html`<select name="role" aria-label="Role of ${username}">${options(role)}</select>
<button type="submit" class="second" name="action" value="role" aria-label="Set the role of ${username}">Set</button>`;
  return accountForm(session, username, field);
}

function options(chosen: Role): Html {
  return html`${ROLES.map((role) => html`<option value="${role}"${role === chosen && html` selected`}>${role}</option>`)}`;
}

function accountForm({ csrf }: Session, username: string, fields: Value): Html {
  return html`<form class="inline" method="post" action="/admin/accounts/">
<input type="hidden" name="csrf" value="${csrf}"><input type="hidden" name="username" value="${username}">
${fields}</form>`;
}

function addition({ csrf }: Session): Html {
  return html`<section aria-labelledby="add">
<h2 id="add">Add an account</h2>
<form class="filters" method="post" action="/admin/accounts/">
<input type="hidden" name="csrf" value="${csrf}">
<div><label for="username">User name</label>
<input id="username" name="username" maxlength="64" autocomplete="off" autocapitalize="off" spellcheck="false" required></div>
<div><label for="new-password">Password, at least 12 characters</label>
<input id="new-password" name="password" type="password" autocomplete="new-password" required></div>
<div><label for="role">Role</label><select id="role" name="role">${options('viewer')}</select></div>
<button type="submit" name="action" value="add">Add</button>
</form>
</section>`;
}

function passwordChange(session: Session, accounts: readonly Account[]): Html {
  const others = accounts.filter(({ username }) => username !== session.username);
  const names = others.map(({ username }) => html`<option value="${username}">${username}</option>`);
  return html`<section aria-labelledby="passwords">
<h2 id="passwords">Set a password</h2>
<p class="hint">Ends all sessions of the account. You change your own password on the page <a href="/admin/account/">Your account</a>.</p>
<form class="filters" method="post" action="/admin/accounts/">
<input type="hidden" name="csrf" value="${session.csrf}">
<div><label for="of">Account</label><select id="of" name="username" required><option value="">choose</option>${names}</select></div>
<div><label for="password">New password</label>
<input id="password" name="password" type="password" autocomplete="new-password" required></div>
<button type="submit" name="action" value="password">Set</button>
</form>
</section>`;
}
