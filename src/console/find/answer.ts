/** The result of a code, a manifest or an address: one card with what each service knows. */

import { explanation } from '../codes/explain.js';
import { type Explained, explain } from '../codes-client.js';
import { announce, byId, bytesText, copyButton, counted, element, reveal } from '../dom.js';
import { glyph } from '../glyph.js';
import { t } from '../language.js';
import { linkTo, linkToManifest, rememberLink } from '../link.js';
import { type Found, type Part, showPart } from '../parts.js';
import { send } from '../requests.js';
import { findByAddress, findByUnits, type Match, manifestPath } from '../resolver/api.js';
import { matchList } from '../resolver/result.js';
import type { Query } from '../search/api.js';
import { searchIn } from '../search/find.js';
import { chosenIndex } from '../search/indexes.js';
import { limitOfMatches } from '../search/lookup.js';
import { matchesFound } from '../search/matches.js';
import { addressOf, has } from '../services.js';
import { unitBits } from '../unit.js';
import { bitsOf, unitsOf } from '../unit-item.js';

const NO_ADDRESSES = t('This server fetches no addresses: download the file and drop it on this page.');

/** Shows a card in place of the one before. Resolves when all its parts are shown. */
async function showCard(head: HTMLElement, parts: readonly Part[]): Promise<void> {
  const shown = parts.map((part) => showPart(part));
  byId('result', HTMLElement).hidden = true;
  byId('answer-body', HTMLElement).replaceChildren(head, ...shown.map(({ section }) => section));
  byId('hero', HTMLElement).classList.add('answered');
  reveal(byId('answer', HTMLElement));
  const verdicts = await Promise.all(shown.map(({ verdict }) => verdict));
  // A newer card may have taken its place.
  if (head.isConnected) announce(verdicts.filter(Boolean).join(', '));
}

/** Codes: their matches, their manifests and what they mean. */
export function answerCodes(query: Query): Promise<void> {
  const { iscc_id: id, iscc_code: code, units = [] } = query;
  const single = id ?? code ?? (units.length === 1 ? units[0] : undefined);
  const text = single ?? units.join(' ');
  const explained = single !== undefined && has('codes') ? explain(single) : undefined;
  const searched = has('search') ? searchIn(chosenIndex(), query, limitOfMatches()) : undefined;
  rememberLink(linkTo(text, has('search') ? chosenIndex() : ''));
  const head = cardHead(text, single === undefined ? t('the codes') : t('the code'));
  const unitsFound = picture(head, units, explained, searched);
  const parts: Part[] = [];
  if (searched !== undefined)
    parts.push({ title: t('Matches'), run: async () => matchesFound(await searched) });
  if (has('resolver')) parts.push({ title: t('Manifests'), run: async () => manifestsOf(await unitsFound) });
  if (explained !== undefined) {
    parts.push({ title: t('Explanation'), run: async () => explanation(await explained) });
  } else if (units.length > 0) {
    parts.push({
      title: t('Explanation'),
      run: async () => ({ verdict: t('units'), body: [unitsOf(units)] }),
    });
  }
  return showCard(head, parts);
}

/** Draws the bits as soon as a service or the code itself says what they are. Resolves to the units of the code. */
async function picture(
  head: HTMLElement,
  units: readonly string[],
  explained: Promise<Explained> | undefined,
  searched: Promise<{ readonly query: Query }> | undefined,
): Promise<readonly string[]> {
  const own = bitsOf(units).map(({ bits }) => bits);
  const show = (bits: readonly string[]) => head.append(...glyph(bits));
  if (own.length > 0) {
    show(own);
    return units;
  }
  // Their failures are shown in parts of their own.
  const said = (await explained?.catch(() => undefined))?.units ?? [];
  show(said.map((unit) => unit.hash_bits));
  // An ISCC-ID has a unit of its own, which says nothing of the content.
  const codes = said.map((unit) => unit.iscc_unit).filter((unit) => unitBits(unit) !== undefined);
  if (codes.length > 0) return codes;
  const derived = (await searched?.catch(() => undefined))?.query.units ?? [];
  if (said.length === 0) show(bitsOf(derived).map(({ bits }) => bits));
  return derived;
}

async function manifestsOf(units: readonly string[]): Promise<Found> {
  const usable = units.filter(isBinding);
  if (usable.length === 0) return { verdict: t('found by files, and by units of 256 bits') };
  return listed(await findByUnits(usable));
}

/** Manifests are bound by units of 256 bits, and not by titles. */
function isBinding(code: string): boolean {
  const unit = unitBits(code);
  return unit !== undefined && unit.bits.length === 256 && !unit.type.startsWith('META');
}

function listed(matches: readonly Match[]): Found {
  if (matches.length === 0) return { verdict: t('no manifest') };
  return { verdict: counted(matches.length, 'manifest', 'manifests'), body: [matchList(matches)] };
}

/** A manifest by its id. */
export function answerManifest(id: string): Promise<void> {
  rememberLink(linkToManifest(id));
  return showCard(cardHead(id, t('the manifest id')), [{ title: t('Manifest'), run: () => manifest(id) }]);
}

async function manifest(id: string): Promise<Found> {
  if (!has('resolver')) throw new Error(t('Manifests need the resolver, which does not respond.'));
  const response = await send('resolver', manifestPath(id));
  const { size } = await response.blob();
  const link = element(
    'a',
    { class: 'button second', href: addressOf('resolver', manifestPath(id)), download: 'manifest.c2pa' },
    t('Download'),
  );
  return { verdict: t('stored, {0}', bytesText(size)), body: [element('p', {}, link)] };
}

/** The manifests of a file at an address, which the server downloads. */
export function answerAddress(url: string): Promise<void> {
  const run = async () => {
    const matches = has('resolver') ? await findByAddress(url) : undefined;
    if (matches === undefined) throw new Error(NO_ADDRESSES);
    return listed(matches);
  };
  return showCard(cardHead(url, t('the address')), [{ title: t('Manifests'), run }]);
}

function cardHead(text: string, what: string): HTMLElement {
  const code = element('code', { class: 'iscc' }, text);
  const line = element('div', { class: 'main-code' }, code, copyButton(text, what));
  return element('div', { class: 'summary' }, element('div', {}, line));
}
