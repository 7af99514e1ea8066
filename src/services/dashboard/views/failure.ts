import type { Session } from '../accounts/sessions.js';
import { type Html, html } from './html.js';
import { layout } from './layout.js';

/** Page with an error message. */
export function failurePage(title: string, text: string, session: Session | undefined): Html {
  return layout({
    title,
    session,
    body: html`<section class="narrow" aria-labelledby="title">
<h1 id="title">${title}</h1>
<p>${text}</p>
<p><a href="/admin/">Back to the dashboard</a></p>
</section>`,
  });
}
