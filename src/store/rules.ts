/** What manifests are judged by: trust anchors and the list of soft-binding algorithms. Can be reloaded. */
import { createHash } from 'node:crypto';
import type { ManifestReader } from '../c2pa/manifest-reader.js';
import { native } from '../native.js';
import { INDEX_VERSION } from './manifests.js';
import { type OcspResponses, RevocationValidator } from './revocation.js';
import type { Validator } from './validator.js';

export interface RuleTexts {
  /** PEM; empty: no signer is trusted. */
  readonly trustAnchorsPem: string;
  /** JSON; `undefined`: the bundled list. */
  readonly algorithmList: string | undefined;
}

export interface Rules {
  readonly validator: Validator;
  readonly algorithms: ReadonlySet<string>;
  readonly watermarks: ReadonlySet<string>;
  /** Changes with anything that can change the result of a validation. */
  readonly digest: string;
}

/**
 * @param responses if OCSP responders are asked
 * @throws {NativeError} if the trust anchors or the list are invalid
 */
export function rulesOf(
  { trustAnchorsPem, algorithmList }: RuleTexts,
  reader: ManifestReader,
  responses?: OcspResponses,
): Rules {
  const entries = native.softBindingAlgorithms(algorithmList);
  const asksResponders = responses !== undefined;
  const options = { asksResponders, ...(algorithmList !== undefined && { algorithmList }) };
  const validator = reader.validator(trustAnchorsPem, options);
  return {
    validator: asksResponders ? new RevocationValidator(validator, responses) : validator,
    algorithms: new Set(entries.map(({ alg }) => alg)),
    watermarks: new Set(entries.filter(({ kind }) => kind === 'watermark').map(({ alg }) => alg)),
    digest: createHash('sha256')
      .update(JSON.stringify([INDEX_VERSION, trustAnchorsPem, entries, ...(asksResponders ? ['OCSP'] : [])]))
      .digest('hex'),
  };
}
