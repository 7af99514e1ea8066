/** Page of the own account: password, second factor, sessions. */
import encodeQR from 'qr';
import type { OwnAccountView } from '../accounts/own-account.js';
import { PASSWORD_CHARACTERS_MIN } from '../accounts/passwords.js';
import type { OpenSession, Session } from '../accounts/sessions.js';
import { Html, html, type Value } from './html.js';
import { layout } from './layout.js';
import { counted, moment } from './text.js';

export function ownAccountPage(session: Session, { sessions, secondFactor }: OwnAccountView): Html {
  return layout({
    title: 'Your account',
    session,
    at: 'account',
    body: html`<h1>Your account</h1>
${passwordChange(session)}
<section aria-labelledby="factor">
<h2 id="factor">Second factor</h2>
${factor(session, secondFactor)}
</section>
<section aria-labelledby="found">
<div class="table-head">
<h2 id="found">${counted(sessions.length, 'session')}</h2>
${sessions.length > 1 && ownForm(session, html`<button type="submit" class="second" name="action" value="end-others">End all others</button>`)}
</div>
<div class="table" role="group" aria-labelledby="found" tabindex="0"><table>
<thead><tr><th scope="col">Began</th><th scope="col">Ends</th><th scope="col">From</th><th scope="col">Browser</th><th scope="col">Change</th></tr></thead>
<tbody>${sessions.map((one) => sessionRow(session, one))}</tbody>
</table></div>
</section>`,
  });
}

function passwordChange(session: Session): Html {
  const fields = html`<div><label for="current">Current password</label>
<input id="current" name="current" type="password" autocomplete="current-password" required></div>
<div><label for="password">New password, at least ${PASSWORD_CHARACTERS_MIN} characters</label>
<input id="password" name="password" type="password" autocomplete="new-password" required></div>
<button type="submit" name="action" value="password">Change</button>`;
  return html`<section aria-labelledby="passwords">
<h2 id="passwords">Password</h2>
<p class="hint">A new password ends your other sessions.</p>
${ownForm(session, fields, 'filters')}
</section>`;
}

function factor(session: Session, view: OwnAccountView['secondFactor']): Html {
  switch (view.state) {
    case 'absent':
      return html`<p>With a second factor, a login also needs a code from an authenticator app on your phone or computer.</p>
${ownForm(session, html`${confirmation('add')}<button type="submit" name="action" value="start-factor">Add</button>`, 'filters')}`;
    case 'pending':
      return enrolment(session, view);
    case 'present':
      return html`<p>A login needs your password and a code from your authenticator app. If you lose the device, the operator of
the server can remove the second factor: <code>isccd store account remove-factor ${session.username}</code>.</p>
${ownForm(session, html`${confirmation('remove')}${codeField}<button type="submit" class="second" name="action" value="remove-factor">Remove</button>`, 'filters')}`;
    default:
      return view satisfies never;
  }
}

function enrolment(
  session: Session,
  { uri, secret }: { readonly uri: string; readonly secret: string },
): Html {
  const groups = secret.match(/.{1,4}/g)?.join(' ');
  return html`<ol>
<li><p>Scan the picture with an authenticator app, or type the secret into it.</p>
<div class="qr" role="img" aria-label="QR code with the secret below">${new Html(encodeQR(uri, 'svg', { border: 4 }))}</div>
<p>Secret: <code>${groups}</code></p>
<p><a href="${uri}">Open an app on this device</a></p></li>
<li><p>Enter the code that the app shows now.</p>
${ownForm(session, html`${codeField}<button type="submit" name="action" value="confirm-factor">Confirm</button>`, 'filters')}
${ownForm(session, html`<button type="submit" class="second" name="action" value="cancel-factor">Cancel</button>`)}</li>
</ol>`;
}

function confirmation(purpose: string): Html {
  return html`<div><label for="${purpose}-current">Current password</label>
<input id="${purpose}-current" name="current" type="password" autocomplete="current-password" required></div>
`;
}

const codeField = html`<div><label for="code">Code of 6 digits</label>
<input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" maxlength="7" required></div>
`;

function sessionRow(
  session: Session,
  { tokenHash, createdAt, expiresAt, origin, browser }: OpenSession,
): Html {
  const isThis = tokenHash === session.tokenHash;
  const end = html`<input type="hidden" name="session" value="${tokenHash}">
<button type="submit" class="second" name="action" value="end-session">End</button>`;
  return html`<tr><td>${moment(createdAt)}</td><td>${moment(expiresAt)}</td><td>${origin}</td><td>${browser}</td>
<td>${isThis ? html`<span class="hint">this session</span>` : ownForm(session, end, 'inline')}</td></tr>
`;
}

function ownForm({ csrf }: Session, fields: Value, kind = 'inline'): Html {
  return html`<form class="${kind}" method="post" action="/admin/account/">
<input type="hidden" name="csrf" value="${csrf}">
${fields}
</form>`;
}
