/** The table of hubs that a node of the network follows. */

import { byId, type Child, element } from '../dom.js';
import { number, t } from '../language.js';
import { addressOf } from '../services.js';
import { getStatus, type Hub, type Status } from './api.js';

const REFRESH_MS = 5_000;
const ROOT_CHARS_SHOWN = 12;

/** States in words. */
const STATES: Readonly<Record<string, string>> = {
  waiting: t('not reached yet'),
  catching_up: t('reading the log'),
  following: t('up to date'),
  unreachable: t('unreachable'),
  unverified: t('its checkpoint has no trusted signature'),
  unverifiable: t('its log does not match its checkpoint'),
  rolled_back: t('shows an older log'),
  frozen: t('frozen: it rewrote its log'),
  paused: t('not in the hub list'),
};
const ACCEPTED = ['ok', 'deletion'];

let timer: ReturnType<typeof setTimeout> | undefined;

/** Shows the hubs and keeps them current; does nothing for a service that follows none. */
export async function showNetwork(): Promise<void> {
  const status = await getStatus().catch(() => undefined);
  if (status !== undefined && status.mode !== 'aggregator') {
    byId('network-summary', HTMLElement).textContent = t('This node follows no hubs of the network.');
    return;
  }
  if (status !== undefined) render(status);
  clearTimeout(timer);
  timer = setTimeout(() => void showNetwork(), REFRESH_MS);
}

function render({ network, list, hubs = [] }: Status): void {
  const listed = list?.ok ? t('hub list read {0}', time(list.read)) : t('the hub list cannot be read');
  byId('network-summary', HTMLElement).textContent = t(
    '{0}, {1} hubs, {2}',
    network ?? '',
    hubs.length,
    listed,
  );
  byId('hubs', HTMLTableSectionElement).replaceChildren(...hubs.map(row));
  byId('network-hubs', HTMLElement).hidden = false;
}

function row(hub: Hub): HTMLTableRowElement {
  const { hub_id: id, url, state, cursor, tree_size: size, last_poll: polled } = hub;
  const lag = size === null ? '' : t('{0} entries', size - cursor);
  return element(
    'tr',
    hub.ok ? {} : { class: 'failing' },
    element('th', { scope: 'row' }, `${id}: ${new URL(url).host}`),
    cell(STATES[state] ?? state, ...alarm(hub)),
    cell(number(cursor)),
    cell(lag),
    cell(...checkpoint(hub)),
    cell(time(polled)),
    cell(refused(hub)),
  );
}

function alarm({ hub_id: id, alarm: raised }: Hub): Child[] {
  if (raised === null) return [];
  const text = element(
    'strong',
    { class: 'error' },
    ` ${t('Alarm: {0} since {1}', raised.kind, time(raised.since))}`,
  );
  if (raised.evidence === null) return [text];
  return [
    text,
    ' ',
    element('a', { href: addressOf('search', `/network/hubs/${id}/evidence`) }, t('evidence')),
  ];
}

function checkpoint({ hub_id: id, tree_size: size, root, key_id: key }: Hub): Child[] {
  if (size === null) return [t('none')];
  const link = element(
    'a',
    { href: addressOf('search', `/network/hubs/${id}/checkpoint`) },
    t('{0} entries', size),
  );
  return [link, t(', root {0}…, key {1}', root?.slice(0, ROOT_CHARS_SHOWN) ?? '', key ?? '')];
}

function refused({ counts }: Hub): string {
  const reasons = Object.entries(counts).filter(([reason, count]) => !ACCEPTED.includes(reason) && count > 0);
  return reasons.length === 0
    ? t('nothing')
    : reasons.map(([reason, count]) => `${number(count)} ${reason.replaceAll('_', ' ')}`).join(', ');
}

function cell(...children: Child[]): HTMLTableCellElement {
  return element('td', {}, ...children);
}

function time(iso: string | null): string {
  return iso === null ? t('never') : `${iso.slice(0, 19).replace('T', ' ')} UTC`;
}
