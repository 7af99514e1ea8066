/**
 * What fields say about uses. A permission is read narrowly: it covers only the use that its field names. A reservation
 * covers also the uses that include the reserved one; these statements are `implied`.
 */
import type { RightsField } from '../../../content/rights.js';
import { type Permission, permission, type Statement, USES } from './schema.js';

type Use = (typeof USES)[number];

const MINING: Use = 'c2pa.data_mining';
const TRAINING: Use = 'c2pa.ai_training';
const GENERATIVE: Use = 'c2pa.ai_generative_training';

/** Training a model mines its data. */
const MINING_USES = [MINING, TRAINING, GENERATIVE] as const;

/** Values of `plus:DataMining` after their common start. `UNSPECIFIED` says nothing. */
const PLUS_VALUES: Readonly<Record<string, readonly (readonly [Use, Permission, implied: boolean])[]>> = {
  ALLOWED: [[MINING, 'allowed', false]],
  PROHIBITED: mining('notAllowed'),
  'PROHIBITED-AIMLTRAINING': [
    [TRAINING, 'notAllowed', false],
    [GENERATIVE, 'notAllowed', true],
  ],
  'PROHIBITED-GENAIMLTRAINING': [[GENERATIVE, 'notAllowed', false]],
  // Mining for an index of a search engine is not prohibited.
  'PROHIBITED-EXCEPTSEARCHENGINEINDEXING': [
    [MINING, 'constrained', false],
    [TRAINING, 'notAllowed', true],
    [GENERATIVE, 'notAllowed', true],
  ],
  'PROHIBITED-SEECONSTRAINT': mining('constrained'),
  'PROHIBITED-SEEEMBEDDEDRIGHTSEXPR': mining('constrained'),
  'PROHIBITED-SEELINKEDRIGHTSEXPR': mining('constrained'),
};
const PLUS_START = /^(?:http:\/\/ns\.useplus\.org\/ldf\/vocab\/)?DMI-/i;

function mining(value: Permission) {
  return MINING_USES.map((use) => [use, value, use !== MINING] as const);
}

/** The statements of a training-and-mining assertion, from its entries by name. */
export function assertionStatements(entries: Readonly<Record<string, string>>): Statement[] {
  return Object.entries(entries).flatMap(([field, value]) => {
    const { data } = permission.safeParse(value);
    return data === undefined ? [] : [{ use: useOf(field), permission: data, field, value, implied: false }];
  });
}

/** CAWG took over the entries of C2PA 1.x, with another prefix. */
function useOf(entry: string): string {
  const use = entry.replace(/^cawg\./, 'c2pa.');
  return (USES as readonly string[]).includes(use) ? use : entry;
}

/** The statements of metadata fields that are in one place of a file. */
export function fieldStatements(fields: readonly RightsField[]): Statement[] {
  return fields.flatMap((field) => {
    if (field.name === 'plus:DataMining') return plusStatements(field, fields);
    return field.name === 'tdm:reservation' ? tdmStatements(field, fields) : [];
  });
}

function plusStatements({ name, value }: RightsField, fields: readonly RightsField[]): Statement[] {
  const known = PLUS_START.test(value) ? PLUS_VALUES[value.replace(PLUS_START, '').toUpperCase()] : undefined;
  const detail = textOf(fields, [
    'plus:OtherConstraints',
    'Iptc4xmpExt:LinkedEncRightsExpr',
    'Iptc4xmpExt:EmbdEncRightsExpr',
  ]);
  return (known ?? []).map(([use, permission, implied]) => ({
    use,
    permission,
    field: name,
    value,
    implied,
    ...(permission === 'constrained' && detail !== undefined && { detail }),
  }));
}

function tdmStatements({ name, value }: RightsField, fields: readonly RightsField[]): Statement[] {
  return reservationStatements(name, value, textOf(fields, ['tdm:policy']));
}

/** The statements of a reservation. Other values than 0 and 1 are errors, and count as absent. */
export function reservationStatements(field: string, value: string, policy: string | undefined): Statement[] {
  if (value === '0') return [{ use: MINING, permission: 'allowed', field, value, implied: false }];
  if (value !== '1') return [];
  // A policy says how a licence can be had.
  const permission = policy === undefined ? 'notAllowed' : 'constrained';
  return MINING_USES.map((use) => ({
    use,
    permission,
    field,
    value,
    implied: use !== MINING,
    ...(policy !== undefined && { detail: policy }),
  }));
}

/** The first of some fields that the file has. */
export function textOf(
  fields: readonly RightsField[],
  names: readonly RightsField['name'][],
): string | undefined {
  const found = names.map((name) => fields.find((field) => field.name === name));
  return found.find((field) => field !== undefined)?.value;
}
