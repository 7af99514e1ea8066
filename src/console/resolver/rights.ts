/** What a file and its manifests say about rights. */
import type { Result } from '../codes/api.js';
import { plainName } from '../dom.js';
import type { Checked, Credentials } from './api.js';

/** Fields of the metadata in the file, with their names. */
const FIELDS: readonly (readonly [field: string, label: string])[] = [
  ['creator', 'Creator'],
  ['rights', 'Copyright'],
  ['credit', 'Credit'],
  ['license', 'License'],
  ['acquire', 'Acquire a license'],
];

/** Who says what. A manifest that is not valid says nothing. */
export type RightsLine = readonly [who: string, what: string];

export function rightsFound(result: Result, checked: Checked | undefined): RightsLine[] {
  const fields = FIELDS.flatMap(([field, label]): RightsLine[] => {
    const value = result[field];
    return typeof value === 'string' && value !== '' ? [['The file', `${label}: ${plainName(value)}`]] : [];
  });
  const { credentials, matches = [] } = checked ?? {};
  return [
    ...fields,
    ...training('Credentials in the file', credentials),
    ...matches.flatMap(({ credentials: of }) =>
      training(`Manifest “${plainName(of?.title ?? 'untitled')}”`, of),
    ),
  ];
}

function training(source: string, credentials: Credentials | undefined): RightsLine[] {
  if (credentials === undefined || credentials.state === 'invalid') return [];
  const { signer = 'an unnamed signer', state, training: uses = {} } = credentials;
  const who = `${source}, by ${plainName(signer)} (${state === 'trusted' ? 'trusted' : 'unknown'})`;
  return Object.entries(uses).map(([use, rule]): RightsLine => [who, `${use}: ${rule}`]);
}
