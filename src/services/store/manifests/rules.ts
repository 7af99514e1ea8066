/** What manifests are judged by: trust lists and the list of soft-binding algorithms. Can be reloaded. */
import { createHash } from 'node:crypto';
import type { ManifestReader } from '../../../c2pa/manifest-reader.js';
import { type DatedTrustList, trustListsOf } from '../../../c2pa/trust-lists.js';
import { native } from '../../../native.js';
import type { TrustTexts } from '../../../platform/config/trust-list.js';
import { type OcspResponses, RevocationValidator } from '../validation/revocation.js';
import type { Validator } from '../validation/validator.js';
import { INDEX_VERSION } from './judgement.js';

/** Of the Rust crate `c2pa`, which validates. After an update it may judge stored manifests otherwise. */
export const VALIDATOR_VERSION = '0.92.1';

export interface RuleTexts extends TrustTexts {
  /** JSON; `undefined`: the bundled list. */
  readonly algorithmList: string | undefined;
}

export interface Rules {
  readonly validator: Validator;
  readonly algorithms: ReadonlySet<string>;
  readonly watermarks: ReadonlySet<string>;
  /** Day of the list of algorithms, as `2026-08-20`; `undefined` if it has none. */
  readonly algorithmsDate: string | undefined;
  readonly trustLists: readonly DatedTrustList[];
  /** Changes with anything that can change the result of a validation. */
  readonly digest: string;
}

/**
 * @param responses if OCSP responders are asked
 * @throws {NativeError} if a trust list or the list of algorithms is invalid
 */
export function rulesOf(texts: RuleTexts, reader: ManifestReader, responses?: OcspResponses): Rules {
  const { algorithmList } = texts;
  const trustLists = trustListsOf(texts);
  const entries = native.softBindingAlgorithms(algorithmList);
  const asksResponders = responses !== undefined;
  const options = { asksResponders, ...(algorithmList !== undefined && { algorithmList }) };
  const validator = reader.validator(trustLists, options);
  const trusted = trustLists.map(({ name, kind, pem }) => [name, kind, pem]);
  const judgedBy = [INDEX_VERSION, VALIDATOR_VERSION, trusted, entries, asksResponders];
  return {
    validator: asksResponders ? new RevocationValidator(validator, responses) : validator,
    algorithms: new Set(entries.map(({ alg }) => alg)),
    watermarks: new Set(entries.filter(({ kind }) => kind === 'watermark').map(({ alg }) => alg)),
    algorithmsDate: native.softBindingListDate(algorithmList) ?? undefined,
    trustLists,
    digest: createHash('sha256').update(JSON.stringify(judgedBy)).digest('hex'),
  };
}

/** The C2PA adds algorithms and certificates every few weeks. */
const AGE_DAYS_MAX = 90;
const DAY_MS = 86_400_000;

/** Whether a list of this day may miss newer entries. */
export function isOutdated(date: string, now = Date.now()): boolean {
  return now - Date.parse(date) > AGE_DAYS_MAX * DAY_MS;
}

export type AgeDetails = {
  readonly algorithmList?: string;
  /** By name. */
  readonly trustLists?: Readonly<Record<string, string>>;
};

/** Members of `/readyz`: the dates of lists that are more than 90 days old, so that newer entries may be missing. */
export function ageDetails(
  { algorithmsDate, trustLists }: Pick<Rules, 'algorithmsDate' | 'trustLists'>,
  now = Date.now(),
): AgeDetails {
  const old = trustLists.filter(({ date }) => date !== undefined && isOutdated(date, now));
  return {
    ...(algorithmsDate !== undefined && isOutdated(algorithmsDate, now) && { algorithmList: algorithmsDate }),
    ...(old.length > 0 && { trustLists: datesOf(old) }),
  };
}

/** The published lists in force and their days, one line each. */
export function describeLists(texts: RuleTexts): string[] {
  const line = (what: string, date: string) =>
    `${what} of ${date}${isOutdated(date) ? ', more than 90 days old' : ''}`;
  const algorithms = native.softBindingListDate(texts.algorithmList);
  const trust = trustListsOf(texts).flatMap(({ kind, name, date }) =>
    date === undefined ? [] : [line(`trust list of ${kind}: ${name}`, date)],
  );
  return [...trust, ...(algorithms === null ? [] : [line('list of soft-binding algorithms', algorithms)])];
}

/** Days of the lists that have one, by name. */
export function datesOf(lists: readonly DatedTrustList[]): Record<string, string> {
  return Object.fromEntries(lists.flatMap(({ name, date }) => (date === undefined ? [] : [[name, date]])));
}
