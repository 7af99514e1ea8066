/** The watches of the index whose assets are shown: list, make, delete, and read their events as they happen. */

import {
  actionButton,
  announce,
  byId,
  copyButton,
  element,
  errorLine,
  messageOf,
  onSubmit,
  percent,
} from '../dom.js';
import { dateTime, t } from '../language.js';
import { Latest } from '../latest.js';
import { linkTo } from '../link.js';
import { deleteWatch, listWatches, putWatch, type Watch, type WatchEvent, watchEvents } from './api.js';
import { parseQuery } from './query.js';

/** Older events of a watch are removed from the page. */
const EVENTS_MAX = 50;

const TYPES: Readonly<Record<string, string>> = {
  'asset.added': t('added'),
  'asset.updated': t('updated'),
  'asset.withdrawn': t('deleted'),
};

/** Another index ends the list and the streams of the one before. */
const latest = new Latest();
let current = '';

/** The index that the section shows from now on. */
export function watchesOf(index: string): void {
  if (index === current) return;
  current = index;
  latest.start();
  byId('watch', HTMLFormElement).reset();
  byId('watch-error', HTMLElement).textContent = '';
  byId('watch-made', HTMLElement).replaceChildren();
  byId('watches', HTMLElement).replaceChildren();
  if (byId('watching', HTMLDetailsElement).open) void showWatches();
}

export function watchForms(): void {
  const section = byId('watching', HTMLDetailsElement);
  section.addEventListener('toggle', () => {
    if (section.open) void showWatches();
    else latest.start();
  });
  onSubmit(byId('watch', HTMLFormElement), byId('watch-error', HTMLElement), async (data) => {
    const made = byId('watch-made', HTMLElement);
    made.replaceChildren();
    const id = String(data.get('id'));
    const { secret } = await putWatch(current, id, settingsOf(data));
    if (secret !== undefined) {
      const text = `${t('Shown only now: the secret of the signatures of the webhook is')} `;
      made.append(
        element('p', {}, text, element('code', {}, secret), ' ', copyButton(secret, t('the secret'))),
      );
    }
    announce(t('Watching {0} as {1}', current, id));
    await showWatches();
  });
}

function settingsOf(data: FormData): unknown {
  const { iscc_id: asset, ...query } = parseQuery(String(data.get('content')));
  const [threshold, webhook] = [String(data.get('threshold')), String(data.get('webhook'))];
  return {
    ...(asset === undefined ? { query } : { same_as: asset }),
    ...(threshold !== '' && { threshold: Number(threshold) / 100 }),
    ...(webhook !== '' && { webhook }),
  };
}

async function showWatches(): Promise<void> {
  const [index, signal] = [current, latest.start()];
  const list = byId('watches', HTMLElement);
  try {
    const { watches, next } = await listWatches(index);
    if (signal.aborted) return;
    list.replaceChildren(...watches.map((watch) => watchItem(watch, index, signal)));
    if (watches.length === 0) list.append(element('li', { class: 'hint' }, t('This index has no watches.')));
    if (next !== null)
      list.append(element('li', { class: 'hint' }, t('More with isccd index watch list {0}.', index)));
  } catch (error) {
    if (!signal.aborted) list.replaceChildren(element('li', {}, errorLine(messageOf(error))));
  }
}

function watchItem(watch: Watch, index: string, signal: AbortSignal): HTMLLIElement {
  const { id } = watch;
  const events = element('ol', {
    class: 'events',
    'aria-label': t('Events of {0}', id),
    'aria-live': 'polite',
  });
  const error = errorLine();
  const fail = (thrown: unknown) => {
    if (!signal.aborted) error.textContent = messageOf(thrown);
  };
  const show = actionButton(t('Show events'), () => {
    show.disabled = true;
    events.append(element('li', { class: 'hint' }, t('Waiting for events…')));
    const take = (event: WatchEvent) => addEvent(events, event, index);
    watchEvents(index, id, take, signal)
      .catch(fail)
      .finally(() => {
        show.disabled = false;
      });
  });
  const remove = actionButton(t('Delete'), () => {
    deleteWatch(index, id).then(() => {
      announce(t('Deleted the watch {0}', id));
      return signal.aborted ? undefined : showWatches();
    }, fail);
  });
  return element(
    'li',
    {},
    element('strong', {}, id),
    ' ',
    element('span', { class: 'hint' }, summaryOf(watch)),
    element('div', { class: 'buttons' }, show, remove),
    error,
    events,
  );
}

/** What a watch looks for, and where its events go. */
function summaryOf({ query, same_as: asset, threshold, webhook, delivery }: Watch): string {
  const { iscc_code: code, units = [], simprints } = query;
  const content =
    asset ?? code ?? units[0] ?? (simprints === undefined ? t('no content') : t('passages of a text'));
  const least = threshold === undefined ? [] : [t('at least {0}', percent(threshold))];
  const sent = webhook === undefined ? [] : [t('to {0}', webhook)];
  const { delivered = 0, waiting = 0, error } = delivery ?? {};
  const counts = delivery === undefined ? [] : [t('{0} delivered, {1} waiting', delivered, waiting)];
  return [content, ...least, ...sent, ...counts, ...(error ? [t('last failure: {0}', error)] : [])].join(
    ', ',
  );
}

function addEvent(list: HTMLElement, { type, timestamp, data }: WatchEvent, index: string): void {
  list.querySelector('.hint')?.remove();
  // The first event of a stream may be `gap`: older ones are not kept any more.
  if (data?.iscc_id === undefined) return;
  const { iscc_id: id, matches, global_match: whole, chunk_match: chunks } = data;
  const score = Math.max(whole?.score ?? 0, chunks?.score ?? 0);
  const verdict = matches === false ? t('matches no more') : percent(score);
  const time = dateTime(timestamp);
  const item = element(
    'li',
    {},
    element('a', { href: linkTo(id, index) }, id),
    ` ${TYPES[type] ?? type}, ${type === 'asset.withdrawn' ? t('matched') : verdict}, ${time}`,
  );
  list.prepend(item);
  while (list.children.length > EVENTS_MAX) list.lastElementChild?.remove();
}
