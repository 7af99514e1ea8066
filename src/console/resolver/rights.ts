/** What a file and its manifests say about rights. */
import type { Result } from '../codes-client.js';
import { plainName } from '../dom.js';
import type { Answer, Answers, CheckedUnits, Credentials } from './api.js';

/** Fields of the metadata in the file, with their names. */
const FIELDS: readonly (readonly [field: string, label: string])[] = [
  ['creator', 'Creator'],
  ['rights', 'Copyright'],
  ['credit', 'Credit'],
  ['license', 'License'],
  ['acquire', 'Acquire a license'],
];

/** What the answers of the look-up mean. One that is missing here says nothing. */
const MAY_TRAIN: Readonly<Record<string, string>> = {
  yes: 'yes',
  no: 'no',
  onConditions: 'on conditions',
  conflicting: 'the sources disagree',
};
const MADE_BY_AI: Readonly<Record<string, string>> = {
  human: 'no, by people',
  ai_assisted: 'with the help of AI',
  human_supervised: 'by AI, supervised by people',
  ai_generated: 'yes, by AI',
  conflicting: 'the sources disagree',
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
    return typeof value === 'string' && value !== '' ? [['The file', `${label}: ${plainName(value)}`]] : [];
  });
  const { credentials, matches = [] } = checked ?? {};
  return [
    ...answered('May models be trained on it?', answers?.mayTrain, MAY_TRAIN),
    ...answered('Was it made by AI?', answers?.madeByAi, MADE_BY_AI),
    ...fields,
    ...training('Credentials in the file', credentials),
    ...matches.flatMap(({ credentials: of }) =>
      training(`Manifest “${plainName(of?.title ?? 'untitled')}”`, of),
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
  const who = names === '' ? '' : `, ${by.length === 1 ? 'says' : 'say'} ${names}`;
  const trust =
    signature === 'trusted' ? ' (trusted)' : signature === 'valid' ? ' (unknown)' : ' (not signed)';
  return [[question, text + who + trust]];
}

function training(source: string, credentials: Credentials | undefined): RightsLine[] {
  if (credentials === undefined || credentials.state === 'invalid') return [];
  const { signer = 'an unnamed signer', state, training: uses = {} } = credentials;
  const who = `${source}, by ${plainName(signer)} (${state === 'trusted' ? 'trusted' : 'unknown'})`;
  return Object.entries(uses).map(([use, rule]): RightsLine => [who, `${use}: ${rule}`]);
}
