/** Shows what a check has found. */
import { copyButton, element, facts } from '../dom.js';
import type { Checked, Credentials, Match } from './api.js';

/** The facts of the file that was checked. */
export function fileFacts(name: string, { iscc, mediatype }: Checked): HTMLElement {
  const code = element('span', {}, element('code', {}, iscc), ' ', copyButton(iscc, 'the ISCC-CODE'));
  return facts([
    ['File', name],
    ['Media type', mediatype],
    ['ISCC-CODE', code],
  ]);
}

/**
 * The credentials in the file, and the manifests that match.
 *
 * @param heading of both parts
 * @param picture data URL of the checked file, if it is a picture
 */
export function credentialsView(
  { credentials, matches }: Checked,
  picture: string | undefined,
  heading: 'h3' | 'h4',
): Node[] {
  return [
    element(heading, {}, 'Credentials in the file'),
    credentials === undefined
      ? element('p', {}, 'The file contains no content credentials.')
      : element('div', { class: 'own' }, verdict(credentials), credentialFacts(credentials)),
    element(heading, {}, 'Manifests that match'),
    matches.length === 0
      ? element('p', {}, 'No manifest is known for this content.')
      : element(
          'ul',
          { class: 'matches', 'aria-label': 'Manifests' },
          ...matches.map((match) => matchItem(match, picture)),
        ),
  ];
}

/** The credentials of the file: do they belong to these bytes? */
function verdict({ state, failures }: Credentials): HTMLElement {
  if (state !== 'invalid') {
    return element('p', {}, 'The signature is valid, and the file is unchanged since it was signed.');
  }
  const text = failures.some((code) => /Hash\.mismatch$/.test(code))
    ? 'The file was changed after it was signed.'
    : 'The credentials are not valid.';
  return element('p', { class: 'error' }, `${text} (${failures.join(', ')})`);
}

function matchItem(
  { similarityScore, endpoint, manifestId, isccId, credentials }: Match,
  picture: string | undefined,
) {
  const link = `${endpoint}/manifests/${encodeURIComponent(manifestId)}`;
  return element(
    'li',
    {},
    element(
      'div',
      { class: 'match-head' },
      element('strong', { class: 'name' }, credentials?.title ?? manifestId),
      element(
        'span',
        { class: 'percent' },
        similarityScore === 100 ? 'same content, 100' : `similar, ${similarityScore}`,
      ),
    ),
    sideBySide(picture, credentials?.thumbnail),
    credentials === undefined
      ? element('p', { class: 'hint' }, 'The manifest could not be read.')
      : credentialFacts(credentials),
    facts([
      ['ISCC-ID', element('code', {}, isccId)],
      ['Manifest', element('a', { href: link, download: 'manifest.c2pa' }, 'Download')],
    ]),
  );
}

function sideBySide(picture: string | undefined, thumbnail: string | undefined): HTMLElement {
  return element(
    'div',
    { class: 'side-by-side' },
    figure(picture, 'Your file'),
    figure(thumbnail, 'The signed asset'),
  );
}

function figure(url: string | undefined, caption: string): HTMLElement {
  const shown =
    url === undefined
      ? element('span', { class: 'no-picture hint' }, 'No picture')
      : element('img', { src: url, alt: caption });
  return element('figure', {}, shown, element('figcaption', { class: 'hint' }, caption));
}

function credentialFacts(credentials: Credentials): HTMLDListElement {
  const { title, signer, issuer, time, claimGenerator, actions, ingredients, training = {} } = credentials;
  const made = actions.map(({ action, digitalSourceType }) =>
    digitalSourceType === undefined ? action : `${action} (${digitalSourceType.split('/').at(-1)})`,
  );
  const sources = ingredients.map(({ title = 'untitled', relationship }) =>
    relationship === undefined ? title : `${title} (${relationship})`,
  );
  const uses = Object.entries(training).map(([use, rule]) => `${use}: ${rule}`);
  return facts([
    ['Title', title],
    ['Signer', signer],
    ['Issuer', issuer],
    ['Signed', time === undefined ? 'time not certified' : new Date(time).toLocaleString()],
    ['Program', claimGenerator],
    ['Actions', made.join(', ')],
    ['Ingredients', sources.join(', ')],
    ['AI training', uses.join(', ')],
  ]);
}
