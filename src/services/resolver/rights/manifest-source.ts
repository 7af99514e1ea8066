/** What a C2PA manifest says about mining and training, with the state of its signature. */
import { z } from 'zod';
import type { ManifestReader, ManifestValidation } from '../../../c2pa/manifest-reader.js';
import { isNativeError } from '../../../native.js';
import { actionDisclosures } from './disclosure.js';
import type { Source } from './schema.js';
import { assertionStatements } from './vocabulary.js';

/** The members of a summary that count here; others are ignored. */
const summary = z.object({
  manifestId: z.string(),
  state: z.string(),
  failures: z.array(z.string()),
  signer: z.string().optional(),
  issuer: z.string().optional(),
  time: z.string().optional(),
  training: z.record(z.string(), z.string()).default({}),
  actions: z.array(z.object({ action: z.string(), digitalSourceType: z.string().optional() })).default([]),
});
type Summary = z.infer<typeof summary>;

/** The part of a source that comes from a manifest. */
export type ManifestPart = Pick<
  Source,
  | 'signature'
  | 'problem'
  | 'statements'
  | 'disclosures'
  | 'by'
  | 'issuer'
  | 'since'
  | 'sinceFrom'
  | 'manifestId'
>;

/** Whether statements behind such a signature count. */
export function isSigned({ signature }: Pick<Source, 'signature'>): boolean {
  return signature === 'trusted' || signature === 'valid';
}

/** A manifest store that stands alone: the hash of its asset can't be checked. */
export async function manifestPart(
  bytes: Uint8Array,
  reader: ManifestReader,
  validator: ManifestValidation,
): Promise<ManifestPart> {
  const { trustList: _, ...verdict } = await verdictOf(bytes, validator);
  return { ...verdict, ...factsOf(await describedAlone(bytes, reader)) };
}

/**
 * A manifest store in an asset.
 *
 * @param credentials what the addon read of it, after checking the hashes of the asset
 */
export async function embeddedPart(
  bytes: Uint8Array,
  credentials: unknown,
  validator: ManifestValidation,
): Promise<ManifestPart> {
  const { data: described } = summary.safeParse(credentials);
  const { trustList: _, ...verdict } = await verdictOf(bytes, validator);
  if (described === undefined)
    return { signature: 'notChecked', problem: 'the manifest is unreadable', statements: [] };
  // Checks the bytes of the asset too, which the validation of the store alone can not.
  const isChanged = isSigned(verdict) && described.state === 'invalid';
  const changed = { signature: 'invalid', problem: described.failures.join(', ') } as const;
  return { ...(isChanged ? changed : verdict), ...factsOf(described) };
}

type Verdict = Pick<ManifestPart, 'signature' | 'problem'>;

/** A verdict, and the name of the list that vouches for a trusted signer. */
type ListedVerdict = Verdict & { readonly trustList?: string | undefined };

/** Whether the resolver trusts the signer of a manifest, or why it can't say. */
export async function verdictOf(bytes: Uint8Array, validator: ManifestValidation): Promise<ListedVerdict> {
  try {
    const report = await validator.validate(bytes);
    if (report.outcome === 'accepted')
      return report.trusted ? { signature: 'trusted', trustList: report.trustList } : { signature: 'valid' };
    return { signature: 'invalid', problem: report.code };
  } catch (error) {
    if (isNativeError(error, 'BUSY') || isNativeError(error, 'TIMEOUT'))
      return { signature: 'notChecked', problem: 'the server is too busy to check the signature' };
    throw error;
  }
}

async function describedAlone(bytes: Uint8Array, reader: ManifestReader): Promise<Summary | undefined> {
  const json = await reader.describe(bytes);
  return json === null ? undefined : summary.safeParse(JSON.parse(json)).data;
}

function factsOf(described: Summary | undefined): Omit<ManifestPart, keyof Verdict> {
  const { signer, issuer, time, manifestId } = described ?? {};
  const disclosures = actionDisclosures(described?.actions ?? []);
  return {
    statements: assertionStatements(described?.training ?? {}),
    ...(disclosures.length > 0 && { disclosures }),
    ...(manifestId !== undefined && { manifestId }),
    ...(signer !== undefined && { by: signer }),
    ...(issuer !== undefined && { issuer }),
    ...(time !== undefined && { since: time, sinceFrom: 'timestamp' as const }),
  };
}
