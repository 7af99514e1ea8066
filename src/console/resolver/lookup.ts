/** Manifests and rights of a file that got its code. */

import type { Lookup } from '../codes/job.js';
import type { Result } from '../codes-client.js';
import { actionButton, bytesText, type Child, element, errorLine, messageOf } from '../dom.js';
import type { Coded } from '../here/messages.js';
import { t } from '../language.js';
import type { Found } from '../parts.js';
import { pictureUrl } from '../picture.js';
import { type Checked, type CheckedUnits, checkFile, checkLimit, checkUnits, rightsByCode } from './api.js';
import { foundView, verdictOf } from './result.js';
import { rightsFound } from './rights.js';

/** The check reads the file again, so larger files are sent only on request. */
const UNASKED_BYTES_MAX = 64 * 1024 * 1024;

/** Both parts need the same check, which takes one request. */
export function credentialsLookups(): readonly Lookup[] {
  const checks = new WeakMap<Result, Promise<CheckedUnits | undefined>>();
  const check = (result: Result, file: File, here: Coded | undefined) => {
    const known =
      checks.get(result) ?? (here === undefined ? checkSmall(file) : checkUnits(result.units ?? []));
    checks.set(result, known);
    return known;
  };
  return [
    (result, file, here) => ({
      title: t('Manifests'),
      run: () => {
        const checked = check(result, file, here);
        return here === undefined ? manifestsOf(file, checked) : manifestsByUnits(file, checked, here);
      },
    }),
    (result, file, here) => ({ title: t('Rights'), run: () => rightsOf(result, check(result, file, here)) }),
  ];
}

/** Of a file that has not left this computer: only the server reads what the file itself embeds. */
async function manifestsByUnits(
  file: File,
  check: Promise<CheckedUnits | undefined>,
  { hasCredentials }: Coded,
): Promise<Found> {
  const { verdict, body = [] } = await found((await check) ?? { matches: [] }, file);
  if (!hasCredentials) return { verdict, body };
  const isChecked = (await checkLimit()) > 0;
  const how = isChecked ? '' : ` ${t('This server reads none: its resolver does not check files.')}`;
  const note = element(
    'p',
    { class: 'hint' },
    t('The file contains content credentials, which this page does not read.') + how,
  );
  const button = isChecked ? [checkButton(file, t('Send to this server to read them'))] : [];
  return { verdict: t('{0}, credentials in the file not read', verdict), body: [...body, note, ...button] };
}

/** `undefined` if the file was not checked: the resolver checks none, or it is large. */
async function checkSmall(file: File): Promise<Checked | undefined> {
  const bytesMax = await checkLimit();
  if (bytesMax === 0) return undefined;
  if (file.size > bytesMax) throw new Error(t('The file is larger than {0}.', bytesText(bytesMax)));
  return file.size > UNASKED_BYTES_MAX ? undefined : checkFile(file);
}

async function manifestsOf(file: File, check: Promise<CheckedUnits | undefined>): Promise<Found> {
  const checked = await check;
  if (checked !== undefined) return found(checked, file);
  if ((await checkLimit()) === 0)
    return { verdict: t('manifests not looked up: the resolver does not check files') };
  return { verdict: t('manifests not looked up'), body: [checkButton(file, t('Check this large file'))] };
}

/** Sends a file on request, and shows what its check finds in place of the button. */
function checkButton(file: File, label: string): HTMLElement {
  const body = element('div');
  const ask = actionButton(label, () => {
    ask.disabled = true;
    checkFile(file)
      .then((late) => found(late, file))
      .then(
        ({ verdict, body: shown = [] }) => body.replaceChildren(element('p', {}, verdict), ...shown),
        (error: unknown) => body.replaceChildren(errorLine(messageOf(error))),
      );
  });
  body.append(ask);
  return body;
}

async function found(checked: CheckedUnits, file: File): Promise<Found> {
  const isEmpty = checked.credentials === undefined && checked.matches.length === 0;
  if (isEmpty) return { verdict: t('no manifest') };
  return { verdict: verdictOf(checked), body: foundView(checked, await pictureUrl(file)) };
}

/** A check that fails says so in the part of the manifests. */
async function rightsOf(result: Result, check: Promise<CheckedUnits | undefined>): Promise<Found> {
  // They do without each other.
  const [checked, answers] = await Promise.all([
    check.catch(() => undefined),
    rightsByCode(result.iscc).catch(() => undefined),
  ]);
  const statements: readonly (readonly [string, Child])[] = rightsFound(result, checked, answers);
  if (statements.length === 0) return { verdict: t('no statement on rights') };
  const list = element('dl');
  for (const [who, what] of statements) list.append(element('dt', {}, who), element('dd', {}, what));
  return {
    verdict: String(statements.length === 1 ? statements[0]?.[1] : t('{0} statements', statements.length)),
    body: [list],
  };
}
