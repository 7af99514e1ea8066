import type { Notice } from '../schema.js';
import { type Html, html } from './html.js';
import { layout } from './layout.js';

export interface LoginParts {
  readonly csrf: string;
  readonly next: string;
  readonly notice?: Notice | undefined;
  readonly username?: string;
  readonly error?: string | undefined;
}

const NOTICES: Readonly<Record<Notice, Html>> = {
  unsent: html`<p class="flash error" role="alert">Your session has ended, so nothing was done. Log in and try again.</p>
`,
};

export function loginPage({ csrf, next, notice, username, error }: LoginParts): Html {
  const wrong = error === undefined ? '' : html` aria-invalid="true" aria-describedby="error"`;
  return layout({
    title: 'Log in',
    body: html`<section class="narrow" aria-labelledby="title">
<h1 id="title">Log in</h1>
${notice && NOTICES[notice]}${error && html`<p id="error" class="error" role="alert">${error}</p>`}
<form method="post" action="/admin/login/">
<input type="hidden" name="csrf" value="${csrf}">
<input type="hidden" name="next" value="${next}">
<label for="username">User name</label>
<input id="username" name="username" value="${username}" autocomplete="username" autocapitalize="off" spellcheck="false" maxlength="64" required${wrong}${username === undefined && html` autofocus`}>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required${wrong}${username !== undefined && html` autofocus`}>
<label for="code">Code of your second factor, if you have one</label>
<input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" maxlength="7"${wrong}>
<button type="submit">Log in</button>
</form>
</section>`,
  });
}
