/** Queries by an asset, `/v1/matches/byContent` and `byReference`: the same parameters and rules in store and resolver. */
import { z } from 'zod';
import type { CodedAsset } from '../content/coder.js';
import { isNativeError, native } from '../native.js';
import { BindingQueryInvalid, decodeValue, maxResults, queryUnits } from './binding-query.js';
import { ISCC_ALGORITHM } from './documents.js';
import type { ManifestReader } from './manifest-reader.js';
import { bindingMatches } from './schema.js';

/** A soft binding to search for. */
export interface Binding {
  readonly alg: string;
  readonly value: Uint8Array;
}

const once = (name: string) => z.string(`Parameter given more than once: ${name}`).min(1);

/** Form of the names on the C2PA's list of algorithms. The list in force may not have the newest of them. */
export const ALGORITHM_FORM = /^[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+$/;
const ALGORITHM_RULE =
  'hintAlg must have the form of the names on the C2PA list of soft-binding algorithms, such as com.adobe.trustmark.P';

const REGION_RULE =
  'region must be absent or empty: an ISCC describes a whole asset. Send the part as an asset of its own';

export const contentParameters = z.object({
  alg: once('alg')
    .optional()
    .describe('Only match by this soft-binding algorithm; default: by all that the asset has'),
  maxResults,
  symmetries: z
    .enum(['true', 'false'], 'symmetries must be true or false')
    .optional()
    .describe('Whether to match a picture mirrored and turned, too (extension); default: false'),
  hintAlg: once('hintAlg')
    .regex(ALGORITHM_FORM, ALGORITHM_RULE)
    .optional()
    .describe('Algorithm of an additional soft binding of the asset'),
  hintValue: once('hintValue').optional().describe('Value of that soft binding in Base64, percent-encoded'),
});

export type ContentParameters = z.infer<typeof contentParameters>;

export const contentMatches = bindingMatches
  .extend({ iscc: z.string().describe('ISCC-CODE of the asset (extension)') })
  .meta({ id: 'ContentMatches' });

const WHOLE_RULE = 'assetLength must be the size of the asset in bytes';

export const assetReference = z
  .object({
    referenceUrl: z
      .url({ protocol: /^https?$/, error: 'referenceUrl must be an https URL' })
      .max(4096, 'referenceUrl is longer than 4096 characters')
      .describe('https URL of the asset on a public host. It should be signed and expire soon'),
    assetLength: z.int(WHOLE_RULE).positive(WHOLE_RULE).describe('Size in bytes; a larger asset is refused'),
    assetType: z.string().optional().describe('Media type; an asset of another type is refused'),
    region: z
      .array(z.unknown(), REGION_RULE)
      .max(0, REGION_RULE)
      .optional()
      .describe('Part of the asset. Must be absent or empty: an ISCC describes a whole asset'),
  })
  .meta({ id: 'c2pa.assetReferenceQuery' });

/**
 * The hint as a binding; `undefined` without one.
 *
 * @throws {BindingQueryInvalid}
 */
export function hintOf({ hintAlg, hintValue }: ContentParameters): Binding | undefined {
  if (hintAlg === undefined && hintValue === undefined) return undefined;
  if (hintAlg === undefined || hintValue === undefined) {
    throw new BindingQueryInvalid('hintAlg and hintValue are only valid together');
  }
  const value = decodeValue(hintValue, 'hintValue');
  // Otherwise the search would refuse it after the asset has been read.
  if (hintAlg === ISCC_ALGORITHM) queryUnits(value, 'hintValue');
  return { alg: hintAlg, value };
}

/**
 * The bindings of an asset: its units but a featureless Content-Code, and those in the Manifest Store that it embeds, if that is valid.
 *
 * @param alg leaves out bindings of other algorithms
 * @param reader of the embedded Manifest Store
 */
export async function bindingsOf(
  { units, manifest }: Pick<CodedAsset, 'units' | 'manifest'>,
  alg: string | undefined,
  reader: ManifestReader,
): Promise<Binding[]> {
  // Plain pictures have nearly equal Image-Codes, so these would match each other.
  const telling = units.filter((unit) => !native.isFeatureless(unit));
  const code: Binding = { alg: ISCC_ALGORITHM, value: native.encodeSeq(telling) };
  const own = manifest === undefined ? [] : await embeddedBindings(manifest, reader);
  return [code, ...own].filter((binding) => alg === undefined || binding.alg === alg);
}

/** The bindings of a picture when it is mirrored or turned. Empty for plain pictures, and for other assets. */
export function symmetricBindings({ symmetries = [] }: CodedAsset, alg: string | undefined): Binding[] {
  if (alg !== undefined && alg !== ISCC_ALGORITHM) return [];
  return symmetries
    .filter((unit) => !native.isFeatureless(unit))
    .map((unit) => ({ alg: ISCC_ALGORITHM, value: native.encodeSeq([unit]) }));
}

/** Without those of other algorithms that repeat. */
export function distinctBindings(bindings: readonly Binding[]): Binding[] {
  const byKey = new Map<string, Binding>();
  for (const binding of bindings) {
    byKey.set(`${binding.alg} ${Buffer.from(binding.value).toString('base64')}`, binding);
  }
  return [...byKey.values()];
}

async function embeddedBindings(manifest: Uint8Array, reader: ManifestReader): Promise<readonly Binding[]> {
  try {
    const report = await reader.trustingNone().validate(manifest);
    return report.outcome === 'accepted' ? report.bindings : [];
  } catch (error) {
    // Too many validations wait, or this one takes too long: the asset is matched by its code alone.
    if (isNativeError(error, 'BUSY') || isNativeError(error, 'TIMEOUT')) return [];
    throw error;
  }
}
