/** The part of the overview that has a sense of time. */
import { ACTIVITY_DAYS, type Activity } from '../activity.js';
import { type Html, html } from './html.js';
import { bytes, count, counted, moment } from './text.js';

export function activitySections({ days, newest, disks, webhooks }: Activity): Html {
  const rows = days.map(
    ({
      day,
      uploads,
      deletes,
      failures,
    }) => html`<tr><th scope="row">${new Date(day).toISOString().slice(0, 10)}</th>
<td class="number">${count(uploads)}</td><td class="number">${count(deletes)}</td><td class="number">${count(failures)}</td></tr>
`,
  );
  const uploads = newest.map(
    ({ key, title, uploadedAt }) =>
      html`<div><dt><a href="/admin/manifests/${key}/">${title === '' ? 'untitled' : title}</a></dt><dd>${moment(uploadedAt)}</dd></div>`,
  );
  const space = disks.map(
    ({ folder, freeBytes, sizeBytes }) =>
      html`<div><dt><code>${folder}</code></dt><dd>${bytes(freeBytes)} of ${bytes(sizeBytes)} free</dd></div>`,
  );
  return html`<section aria-labelledby="days">
<h2 id="days">Last ${ACTIVITY_DAYS} days</h2>
<p class="hint">By days in UTC. Failed declarations by their last attempt</p>
<div class="table" role="group" aria-labelledby="days" tabindex="0"><table>
<thead><tr><th scope="col">Day</th><th scope="col">Uploads</th><th scope="col">Deletes</th><th scope="col">Failed declarations</th></tr></thead>
<tbody>${rows}</tbody></table></div>
</section>
<section aria-labelledby="newest">
<h2 id="newest">Last uploads</h2>
${uploads.length === 0 ? html`<p>None yet.</p>` : html`<dl class="metrics">${uploads}</dl>`}
</section>
<section aria-labelledby="waiting">
<h2 id="waiting">Disk and webhooks</h2>
<dl class="metrics">${space}
<div><dt>Events that wait for webhook receivers</dt><dd>${count(webhooks.waiting)}</dd></div>
</dl>
${webhooks.failing > 0 && html`<p class="error">${counted(webhooks.failing, 'event')} could not be delivered at the last attempt.</p>`}
</section>`;
}
