/** The card of one match: its picture, its score, how each unit differs, and the passages that match. */
import { hasTimes } from '../../iscc/spans.js';
import { compareWith } from '../codes/compare.js';
import {
  actionButton,
  copyButton,
  element,
  errorLine,
  facts,
  messageOf,
  nameElement,
  percent,
  plainName,
} from '../dom.js';
import { t } from '../language.js';
import { linkTo, linkToManifest } from '../link.js';
import { overlay } from '../overlay.js';
import { has } from '../services.js';
import type { UnitBits } from '../unit.js';
import { bitsOf, comparedItem, unitList } from '../unit-item.js';
import { type ChunkMatch, type Entry, getAsset, getThumbnail, type Match } from './api.js';
import { type Asked, type Evidence, evidenceOf, printEvidence, saveEvidence } from './evidence.js';
import { type FoundAsset, scoreOf } from './find.js';
import { type Passages, passageList } from './passages.js';
import { stripList } from './strips.js';

/** Metadata that the card shows in its own places. */
const SHOWN = ['thumbnail', 'text', 'title'];

export interface MatchOptions {
  readonly asked: Asked;
  /** Data URL of the file that was searched for, if it is a picture. */
  readonly picture?: string | undefined;
  /** Units of the query. */
  readonly searched: readonly UnitBits[];
  readonly passages: Passages;
  /** The stored asset, if it was read. */
  readonly entry: Entry | undefined;
}

export function matchItem(found: FoundAsset, options: MatchOptions): HTMLLIElement {
  const { entry, picture } = options;
  const card = cardOf(found, options);
  if (entry === undefined) readPictureWhenSeen(card, found, picture);
  else showPicture(card, membersOf(entry.metadata).thumbnail, picture);
  return card;
}

/** The picture of the match, and both on top of each other. */
function showPicture(card: HTMLElement, source: unknown, picture: string | undefined): void {
  const [shown] = thumbnail(source);
  if (shown === undefined) return;
  const head = card.querySelector('.match-head');
  head?.prepend(shown);
  if (picture !== undefined) head?.after(overlay(picture, shown.src, t('The match')));
}

/** Results have no pictures, because these are large: the card reads its own once it is on the screen. */
function readPictureWhenSeen(
  card: HTMLElement,
  { index, isccId }: FoundAsset,
  picture: string | undefined,
): void {
  const observer = new IntersectionObserver((changes) => {
    if (!changes.some(({ isIntersecting }) => isIntersecting)) return;
    observer.disconnect();
    const show = (source: unknown) => showPicture(card, source, picture);
    // A card without its picture says enough.
    getThumbnail(index, isccId).then(show, () => {});
  });
  observer.observe(card);
}

function cardOf(found: FoundAsset, options: MatchOptions): HTMLLIElement {
  const { index, isccId, metadata, whole, passages } = found;
  const { asked, searched, entry } = options;
  const members = membersOf(metadata);
  const manifest = manifestOf(members);
  const title = nameOf(metadata) ?? (manifest === undefined ? isccId : t('Content with a signed manifest'));
  return element(
    'li',
    {},
    element(
      'div',
      { class: 'match-head' },
      element('span', { class: 'percent' }, percent(scoreOf(found))),
      element('strong', { class: 'name' }, nameElement(title)),
      element('span', { class: 'tag' }, t('in {0}', index)),
    ),
    element(
      'p',
      { class: 'match-id' },
      element('code', {}, isccId),
      ' ',
      copyButton(isccId, t('the ISCC-ID')),
      ...further(asked.code, entry, index),
    ),
    ...(whole === undefined ? [] : [evidenceButtons(found, asked, entry)]),
    ...(whole === undefined ? [] : [unitsView(whole, searched, bitsOf(entry?.units), isccId)]),
    ...(passages === undefined ? [] : partsView(passages, options, textOf(members.text))),
    ...metadataView(metadata, manifest),
  );
}

/** Parts that match: those of films and recordings as times, those of texts as passages. */
function partsView(
  match: ChunkMatch,
  { asked, entry, passages }: MatchOptions,
  text: string | undefined,
): HTMLElement[] {
  const ofTexts = Object.entries(match.types).filter(([type]) => !hasTimes(type));
  const texts = { ...match, types: Object.fromEntries(ofTexts) };
  return [
    ...stripList(match, asked.result?.features, entry),
    ...(ofTexts.length === 0 ? [] : [passageList(texts, text, passages)]),
  ];
}

/** The id of the manifest that an entry stands for. Those that the store declared say where their manifest is. */
function manifestOf({ gateway }: Record<string, unknown>): string | undefined {
  const [, last] = /^https?:\/\/\S+\/manifests\/([^/?#]+)$/.exec(textOf(gateway) ?? '') ?? [];
  try {
    return last && decodeURIComponent(last);
  } catch {
    return undefined;
  }
}

/** The name of an asset for people, if its metadata have one. */
export function nameOf(metadata: unknown): string | undefined {
  const { name, title, filename } = membersOf(metadata);
  return textOf(name) ?? textOf(title) ?? textOf(filename);
}

function further(code: string | undefined, entry: Entry | undefined, index: string): Node[] {
  const other = entry?.iscc_code;
  if (typeof other !== 'string') return [];
  const similar = element('a', { href: linkTo(other, index) }, t('Find similar'));
  if (code === undefined || !has('codes')) return [similar];
  return [actionButton(t('Compare'), () => compareWith(code, other), 'copy'), similar];
}

/** The card of a match can be kept: what it rests on is read when a button is pressed. */
function evidenceButtons(found: FoundAsset, asked: Asked, entry: Entry | undefined): HTMLElement {
  const { index, isccId } = found;
  const error = errorLine();
  const make = async (use: (evidence: Evidence) => void) => {
    error.textContent = '';
    try {
      const stored = entry ?? (await getAsset(index, isccId));
      use(await evidenceOf(asked, index, stored, scoreOf(found)));
    } catch (failure) {
      error.textContent = messageOf(failure);
    }
  };
  const button = (label: string, use: (evidence: Evidence) => void) =>
    actionButton(label, () => void make(use), 'copy');
  const buttons = [button(t('Save evidence'), saveEvidence), button(t('Print evidence'), printEvidence)];
  return element('div', { class: 'match-id' }, ...buttons, error);
}

function unitsView(
  { types }: Match,
  searched: readonly UnitBits[],
  units: readonly UnitBits[],
  isccId: string,
): HTMLElement {
  const items = Object.entries(types).map(([type, share]) => {
    const mine = searched.find((unit) => unit.type === type)?.bits;
    const theirs = units.find((unit) => unit.type === type)?.bits;
    const bits = mine === undefined || theirs === undefined ? undefined : ([mine, theirs] as const);
    return comparedItem({ type, share, verdict: percent(share), bits });
  });
  return unitList(items, t('Units of {0}', isccId));
}

/** Only pictures that are part of the metadata: the page loads nothing from other servers. */
export function thumbnail(source: unknown): HTMLImageElement[] {
  if (typeof source !== 'string' || !/^data:image\/(?:webp|png|jpeg|gif|avif);base64,/.test(source))
    return [];
  return [element('img', { class: 'thumbnail', src: source, alt: t('Thumbnail of the match') })];
}

/** Flat metadata as a list, nested metadata as JSON. */
function metadataView(metadata: unknown, manifest: string | undefined): Node[] {
  const { gateway, ...others } = membersOf(metadata);
  if (manifest !== undefined) {
    const link = element('a', { href: linkToManifest(manifest) }, plainName(manifest));
    return [facts([[t('Manifest'), link]]), ...metadataView(others, undefined)];
  }
  const entries = Object.entries(membersOf(metadata)).filter(([name]) => !SHOWN.includes(name));
  if (entries.length === 0) return [];
  const isFlat = entries.every(([, field]) => typeof field !== 'object');
  if (isFlat) return [facts(entries.map(([name, field]) => [name, String(field)] as const))];
  return [element('pre', {}, JSON.stringify(Object.fromEntries(entries), null, 2))];
}

function membersOf(metadata: unknown): Record<string, unknown> {
  return typeof metadata === 'object' && metadata !== null ? (metadata as Record<string, unknown>) : {};
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
