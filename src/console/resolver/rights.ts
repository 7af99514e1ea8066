/** What a file and its manifests say about rights. */

import type { Result } from '../codes-client.js';
import { plainName } from '../dom.js';
import { t } from '../language.js';
import type { Answer, Answers, CheckedUnits, Credentials } from './api.js';

/** Fields of the metadata in the file, with their names. */
const FIELDS: readonly (readonly [field: string, label: string])[] = [
  ['creator', t('Creator')],
  ['rights', t('Copyright')],
  ['credit', t('Credit')],
  ['license', t('License')],
  ['acquire', t('Acquire a license')],
];

/** What the answers of the look-up mean. One that is missing here says nothing. */
const MAY_TRAIN: Readonly<Record<string, string>> = {
  yes: t('yes'),
  no: t('no'),
  onConditions: t('on conditions'),
  conflicting: t('the sources disagree'),
};
const MADE_BY_AI: Readonly<Record<string, string>> = {
  human: t('no, by people'),
  ai_assisted: t('with the help of AI'),
  human_supervised: t('by AI, supervised by people'),
  ai_generated: t('yes, by AI'),
  conflicting: t('the sources disagree'),
};

/** Who says what. A manifest that is not valid says nothing. */
export type RightsLine = readonly [who: string, what: string];

/** @param answers of the look-up of rights, if the resolver has it */
export function rightsFound(
  result: Result,
  checked: CheckedUnits | undefined,
  answers: Answers | undefined,
): RightsLine[] {
  const fields = FIELDS.flatMap(([field, label]): RightsLine[] => {
    const value = result[field];
    return typeof value === 'string' && value !== ''
      ? [[t('The file'), `${label}: ${plainName(value)}`]]
      : [];
  });
  const { credentials, matches = [] } = checked ?? {};
  return [
    ...answered(t('May models be trained on it?'), answers?.mayTrain, MAY_TRAIN),
    ...answered(t('Was it made by AI?'), answers?.madeByAi, MADE_BY_AI),
    ...fields,
    ...training(t('Credentials in the file'), credentials),
    ...matches.flatMap(({ credentials: of }) =>
      training(t('Manifest “{0}”', plainName(of?.title ?? t('untitled'))), of),
    ),
  ];
}

function answered(
  question: string,
  given: Answer | undefined,
  texts: Readonly<Record<string, string>>,
): RightsLine[] {
  const text = texts[given?.answer ?? ''];
  if (given === undefined || text === undefined) return [];
  const { by = [], signature } = given;
  const names = by.map(plainName).join(', ');
  // Who says what, and who of them is trusted, is in the lines that follow.
  if (given.answer === 'conflicting') return [[question, names === '' ? text : `${text}: ${names}`]];
  const who = names === '' ? '' : by.length === 1 ? t(', says {0}', names) : t(', say {0}', names);
  const trust =
    signature === 'trusted' ? t('trusted') : signature === 'valid' ? t('unknown') : t('not signed');
  return [[question, `${text}${who} (${trust})`]];
}

function training(source: string, credentials: Credentials | undefined): RightsLine[] {
  if (credentials === undefined || credentials.state === 'invalid') return [];
  const { signer = t('an unnamed signer'), state, training: uses = {} } = credentials;
  const trust = state === 'trusted' ? t('trusted') : t('unknown');
  const who = t('{0}, by {1} ({2})', source, plainName(signer), trust);
  return Object.entries(uses).map(([use, rule]): RightsLine => [who, `${use}: ${rule}`]);
}
