/** Shows what a check has found. */

import { copyButton, counted, element, facts, nameElement } from '../dom.js';
import { dateTime, t } from '../language.js';
import { overlay } from '../overlay.js';
import type { Checked, CheckedUnits, Credentials, Match } from './api.js';
import { historyView } from './history.js';

/** The facts of the file that was checked. */
export function fileFacts(name: string, { iscc, mediatype }: Checked): HTMLElement {
  const code = element('div', {}, element('code', {}, iscc), ' ', copyButton(iscc, t('the ISCC-CODE')));
  return facts([
    [t('File'), nameElement(name)],
    [t('Media type'), mediatype],
    [t('ISCC-CODE'), code],
  ]);
}

/**
 * The credentials in the file, and the manifests that match.
 *
 * @param picture data URL of the checked file, if it is a picture
 */
export function credentialsView(checked: Checked, picture: string | undefined): Node[] {
  const { credentials, matches } = checked;
  return [
    element('h3', {}, t('Credentials in the file')),
    ...(credentials === undefined
      ? [element('p', {}, t('The file contains no content credentials.'))]
      : [ownView(credentials)]),
    element('h3', {}, t('Manifests that match')),
    matches.length === 0
      ? element('p', {}, t('No manifest is known for this content.'))
      : matchesView(matches, picture),
  ];
}

/** The same without a word on what was not found. */
export function foundView({ credentials, matches }: CheckedUnits, picture: string | undefined): Node[] {
  return [
    ...(credentials === undefined
      ? []
      : [element('h4', {}, t('Credentials in the file')), ownView(credentials)]),
    ...(matches.length === 0
      ? []
      : [element('h4', {}, t('Manifests that match')), matchesView(matches, picture)]),
  ];
}

function ownView(credentials: Credentials): HTMLElement {
  return element('div', { class: 'own' }, verdict(credentials, OF_FILE), ...credentialView(credentials));
}

function matchesView(matches: readonly Match[], picture: string | undefined): HTMLElement {
  const items = matches.map((match) => matchItem(match, picture));
  return element('ul', { class: 'matches', 'aria-label': t('Manifests') }, ...items);
}

/** What a stored manifest says, and whether its signer is known. */
export function storedView(credentials: Credentials): Node[] {
  return [verdict(credentials, OF_MATCH), ...credentialView(credentials)];
}

/** The worst that is known of the manifests, in a few words. */
export function verdictOf({ credentials, matches }: CheckedUnits): string {
  const own = credentials === undefined ? [] : [t('in the file: {0}', STATES[credentials.state])];
  const states = matches.flatMap((match) => match.credentials?.state ?? []);
  const worst = (['invalid', 'valid', 'trusted'] as const).find((state) => states.includes(state));
  const count = counted(matches.length, 'manifest', 'manifests');
  const found = matches.length === 0 ? [] : [worst === undefined ? count : `${count}: ${STATES[worst]}`];
  return [...own, ...found].join(', ');
}

const SIGNED = t('The signed asset');

/** The three verdicts in a few words. */
const STATES = {
  trusted: t('trusted signer'),
  valid: t('unknown signer'),
  invalid: t('not valid'),
} as const;

/** Matches of a code: what their manifests say is read only with a file. */
export function matchList(matches: readonly Match[]): HTMLElement {
  return element(
    'ul',
    { class: 'matches', 'aria-label': t('Manifests') },
    ...matches.map((match) => element('li', {}, matchHead(match), matchFacts(match))),
  );
}

interface Words {
  readonly trusted: string;
  readonly valid: string;
  /** In order: the first whose pattern is that of a failure fits. */
  readonly failed: readonly (readonly [pattern: RegExp, text: string])[];
  readonly invalid: string;
}

/** The credentials of the file: do they belong to these bytes? */
const OF_FILE: Words = {
  trusted: t('The signer is trusted, and the file is unchanged since it was signed.'),
  valid: t('The file is unchanged since it was signed, but the signer is unknown: anyone can use this name.'),
  failed: [[/Hash\.mismatch$/, t('The file was changed after it was signed.')]],
  invalid: t('The credentials are not valid.'),
};

/** A manifest that matches: its asset is not there, so only the manifest itself was checked. */
const OF_MATCH: Words = {
  trusted: t('The signature of this manifest is valid, and its signer is trusted.'),
  valid: t('The signature of this manifest is valid, but its signer is unknown: anyone can use this name.'),
  failed: [
    [/^claimSignature\./, t('The signature of this manifest is not valid.')],
    [/^assertion\..*mismatch$/, t('This manifest was changed after it was signed.')],
  ],
  invalid: t('This manifest is not valid.'),
};

function verdict({ state, failures, trustList }: Credentials, words: Words): HTMLElement {
  const by = trustList === undefined ? '' : ` ${t('The list {0} vouches for it.', trustList)}`;
  if (state === 'trusted') return element('p', { class: 'trusted' }, words.trusted + by);
  if (state === 'valid') return element('p', { class: 'warning' }, words.valid);
  const { failed, invalid } = words;
  const [, text = invalid] = failed.find(([pattern]) => failures.some((code) => pattern.test(code))) ?? [];
  return element('p', { class: 'error' }, `${text} (${failures.join(', ')})`);
}

function matchItem(match: Match, picture: string | undefined) {
  return element(
    'li',
    {},
    matchHead(match),
    ...matchCredentials(match.credentials, picture),
    matchFacts(match),
  );
}

function matchHead({ similarityScore, manifestId, credentials }: Match): HTMLElement {
  return element(
    'div',
    { class: 'match-head' },
    element('strong', { class: 'name' }, nameElement(credentials?.title ?? manifestId)),
    element(
      'span',
      { class: 'percent' },
      similarityScore === 100 ? t('same content, 100') : t('similar, {0}', similarityScore),
    ),
  );
}

function matchFacts({ endpoint, manifestId, isccId }: Match): HTMLDListElement {
  const link = `${endpoint}/manifests/${encodeURIComponent(manifestId)}`;
  return facts([
    [t('ISCC-ID'), element('code', {}, isccId)],
    [t('Manifest'), element('a', { href: link, download: 'manifest.c2pa' }, t('Download'))],
  ]);
}

/**
 * What a matching manifest says. Anyone can declare a manifest for this content, so one that is not valid shows neither
 * a picture nor a signer: nothing proves that they belong to it.
 */
function matchCredentials(credentials: Credentials | undefined, picture: string | undefined): Node[] {
  if (credentials === undefined) {
    return [element('p', { class: 'hint' }, t('The manifest could not be read.'))];
  }
  const result = verdict(credentials, OF_MATCH);
  if (credentials.state === 'invalid') {
    const { signer, issuer, time, thumbnail, ...others } = credentials;
    return [result, ...credentialView(others)];
  }
  return [...sideBySide(picture, credentials.thumbnail), result, ...credentialView(credentials)];
}

/** A manifest without a picture of its asset leaves nothing to compare. */
function sideBySide(picture: string | undefined, thumbnail: string | undefined): Node[] {
  if (thumbnail === undefined) return [];
  const signed = figure(thumbnail, SIGNED);
  if (picture === undefined) return [element('div', { class: 'side-by-side' }, signed)];
  const pair = element('div', { class: 'side-by-side' }, figure(picture, t('Your file')), signed);
  return [pair, overlay(picture, thumbnail, SIGNED)];
}

function figure(url: string, caption: string): HTMLElement {
  const shown = element('img', { src: url, alt: caption });
  return element('figure', {}, shown, element('figcaption', { class: 'hint' }, caption));
}

function credentialView(credentials: Credentials): Node[] {
  return [credentialFacts(credentials), ...historyView(credentials)];
}

function credentialFacts(credentials: Credentials): HTMLDListElement {
  const { title, signer, issuer, claimGenerator, training = {} } = credentials;
  const uses = Object.entries(training).map(([use, rule]) => `${use}: ${rule}`);
  return facts([
    [t('Title'), title],
    [t('Signer'), signer],
    [t('Issuer'), issuer],
    [t('Signed'), signedText(credentials)],
    [t('Program'), claimGenerator],
    [t('AI training'), uses.join(', ')],
  ]);
}

/** Nothing if it is not known who signed. */
function signedText({ signer, issuer, time }: Credentials): string | undefined {
  // The long style names the time zone, which is that of the browser.
  if (time !== undefined) return dateTime(time, { dateStyle: 'medium', timeStyle: 'long' });
  return signer === undefined && issuer === undefined ? undefined : t('time not certified');
}
