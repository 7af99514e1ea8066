/** What manifests are judged by: trust anchors and the list of soft-binding algorithms. Can be reloaded. */
import { createHash } from 'node:crypto';
import type { ManifestReader } from '../../c2pa/manifest-reader.js';
import { anchorsOf } from '../../c2pa/trust-lists.js';
import { native } from '../../native.js';
import { INDEX_VERSION } from './judgement.js';
import { type OcspResponses, RevocationValidator } from './revocation.js';
import type { Validator } from './validator.js';

/** Of the Rust crate `c2pa`, which validates. After an update it may judge stored manifests otherwise. */
export const VALIDATOR_VERSION = '0.92.0';

export interface RuleTexts {
  /** PEM; empty: the bundled C2PA trust list. */
  readonly trustAnchorsPem: string;
  /** JSON; `undefined`: the bundled list. */
  readonly algorithmList: string | undefined;
}

export interface Rules {
  readonly validator: Validator;
  readonly algorithms: ReadonlySet<string>;
  readonly watermarks: ReadonlySet<string>;
  /** Day of the list of algorithms, as `2026-08-20`; `undefined` if it has none. */
  readonly algorithmsDate: string | undefined;
  /** Changes with anything that can change the result of a validation. */
  readonly digest: string;
}

/**
 * @param responses if OCSP responders are asked
 * @throws {NativeError} if the trust anchors or the list are invalid
 */
export function rulesOf(texts: RuleTexts, reader: ManifestReader, responses?: OcspResponses): Rules {
  const { algorithmList } = texts;
  const trustAnchorsPem = anchorsOf(texts.trustAnchorsPem);
  const entries = native.softBindingAlgorithms(algorithmList);
  const asksResponders = responses !== undefined;
  const options = { asksResponders, ...(algorithmList !== undefined && { algorithmList }) };
  const validator = reader.validator(trustAnchorsPem, options);
  const judgedBy = [INDEX_VERSION, VALIDATOR_VERSION, trustAnchorsPem, entries, asksResponders];
  return {
    validator: asksResponders ? new RevocationValidator(validator, responses) : validator,
    algorithms: new Set(entries.map(({ alg }) => alg)),
    watermarks: new Set(entries.filter(({ kind }) => kind === 'watermark').map(({ alg }) => alg)),
    algorithmsDate: native.softBindingListDate(algorithmList) ?? undefined,
    digest: createHash('sha256').update(JSON.stringify(judgedBy)).digest('hex'),
  };
}

/** The C2PA adds algorithms and certificates every few weeks. */
const AGE_DAYS_MAX = 90;
const DAY_MS = 86_400_000;

/** Members of `/readyz`: the date of the list of algorithms if it is more than 90 days old, so that newer ones may be missing. */
export function ageDetails(
  { algorithmsDate }: Pick<Rules, 'algorithmsDate'>,
  now = Date.now(),
): { readonly algorithmList?: string } {
  if (algorithmsDate === undefined) return {};
  return now - Date.parse(algorithmsDate) > AGE_DAYS_MAX * DAY_MS ? { algorithmList: algorithmsDate } : {};
}
