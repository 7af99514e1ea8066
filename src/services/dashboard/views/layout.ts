/** Layout of every page. */
import { includes } from '../accounts/roles.js';
import type { Flash, Session } from '../accounts/sessions.js';
import { type Html, html, type Value } from './html.js';

export interface PageParts {
  readonly title: string;
  /** Absent before the login. */
  readonly session?: Session | undefined;
  /** Current entry of the navigation. */
  readonly at?: 'overview' | 'manifests' | 'accounts' | 'tokens' | 'webhooks' | 'audit' | 'account';
  readonly body: Value;
}

/** A complete HTML document. */
export function layout({ title, session, at, body }: PageParts): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title} | isccd store</title>
<link rel="icon" href="/admin/static/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/admin/static/style.css">
<link rel="stylesheet" href="/admin/static/admin.css">
<script type="module" src="/admin/static/admin.js"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header class="masthead"><div>
<div class="brand">
<img src="/admin/static/icon.svg" alt="" width="32" height="32">
<div><strong>isccd store</strong><p class="hint">Operator dashboard</p></div>
</div>
${session && navigation(session, at)}
</div></header>
<main id="content" tabindex="-1">
${session?.flash && flashMessage(session.flash)}
${body}
</main>
</body>
</html>
`;
}

function flashMessage({ text, isError }: Flash): Html {
  return isError
    ? html`<p class="flash error" role="alert">${text}</p>`
    : html`<p class="flash" role="status">${text}</p>`;
}

function navigation({ username, role, csrf }: Session, at: PageParts['at']): Html {
  const current = (page: PageParts['at']) => page === at && html` aria-current="page"`;
  return html`<nav aria-label="Dashboard"><ul>
<li><a href="/admin/"${current('overview')}>Overview</a></li>
<li><a href="/admin/manifests/"${current('manifests')}>Manifests</a></li>
${
  includes(role, 'admin') &&
  html`<li><a href="/admin/accounts/"${current('accounts')}>Accounts</a></li>
<li><a href="/admin/tokens/"${current('tokens')}>Upload tokens</a></li>
<li><a href="/admin/webhooks/"${current('webhooks')}>Webhooks</a></li>
<li><a href="/admin/audit/"${current('audit')}>Audit log</a></li>
`
}<li><a href="/admin/account/"${current('account')}>Your account</a></li>
</ul></nav>
<form class="logout" method="post" action="/admin/logout/">
<span class="hint">Logged in as <strong>${username}</strong>, ${role}</span>
<input type="hidden" name="csrf" value="${csrf}">
<button type="submit" class="second">Log out</button>
</form>`;
}
