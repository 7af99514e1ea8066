/**
 * Service metadata of iscc-schema 0.8.0 that a gateway serves: TDM reservations (`TDM`) and AI disclosures (`GenAI`), bound to an
 * ISCC-CODE or ISCC-ID, signed with ISCC-SIG or not.
 */
import { z } from 'zod';
import { isSignedBy } from '../../../platform/signing/iscc-sig.js';
import { sourceTypeDisclosure } from './disclosure.js';
import { type Disclosure, involvement, type Source, type Statement } from './schema.js';
import { reservationStatements } from './vocabulary.js';

/** Objects of one response that are read. */
const OBJECTS_MAX = 100;
const TEXT_MAX = 2048;
const text = z.string().max(TEXT_MAX);

/** With or without the version: the schemas of 0.8.0 are published under both. */
const SCHEMA = /^https?:\/\/purl\.org\/iscc\/schema\/(tdm|genai)(?:-0\.\d+\.\d+)?\.json$/;
const TYPES: Readonly<Record<string, 'tdm' | 'genai'>> = { TDM: 'tdm', GenAI: 'genai' };

const common = z.looseObject({
  $schema: z.unknown().optional(),
  '@type': z.unknown().optional(),
  iscc: z.unknown().optional(),
  signature: z.looseObject({ pubkey: text, controller: text.optional() }).optional(),
});

const tdm = z.looseObject({ tdm_reservation: z.literal([0, 1]), tdm_policy: text.optional() });

const genai = z.looseObject({
  involvement: involvement.optional(),
  ai_system: text.optional(),
  digital_source_type: text.optional(),
});

/** One object, as a part of a source. */
export interface ServiceMetadata {
  readonly kind: 'tdm' | 'genai';
  /** The content that it names; `undefined` if it names none, and so is about that of its address. */
  readonly iscc: string | undefined;
  readonly signature: Source['signature'];
  readonly by?: string;
  readonly problem?: string;
  readonly statements: Statement[];
  readonly disclosures: Disclosure[];
}

/** The objects in the JSON of a response: one, a list of them, or a graph of JSON-LD. Empty for other texts. */
export function serviceMetadata(json: string): ServiceMetadata[] {
  return objectsIn(json).slice(0, OBJECTS_MAX).flatMap(metadataOf);
}

function objectsIn(json: string): unknown[] {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return [];
  }
  if (Array.isArray(value)) return value;
  if (typeof value !== 'object' || value === null) return [];
  const graph = '@graph' in value ? value['@graph'] : undefined;
  return Array.isArray(graph) ? graph : [value];
}

function metadataOf(value: unknown): ServiceMetadata[] {
  const { data } = common.safeParse(value);
  const kind = data && kindOf(data);
  if (data === undefined || kind === undefined) return [];
  const said = kind === 'tdm' ? reservationOf(value) : disclosureOf(value);
  if (said === undefined) return [];
  return [{ kind, iscc: nameOf(data.iscc), ...signatureOf(value, data.signature), ...said }];
}

function kindOf({ $schema, '@type': type }: z.infer<typeof common>): 'tdm' | 'genai' | undefined {
  const [, name] = SCHEMA.exec(typeof $schema === 'string' ? $schema : '') ?? [];
  if (name === 'tdm' || name === 'genai') return name;
  // An object of another schema may use the same word.
  return $schema === undefined && typeof type === 'string' ? TYPES[type] : undefined;
}

/** Not a text: no content has this name. */
function nameOf(iscc: unknown): string | undefined {
  return iscc === undefined || iscc === null ? undefined : String(iscc);
}

type Said = Pick<ServiceMetadata, 'statements' | 'disclosures'>;

function reservationOf(value: unknown): Said | undefined {
  const { data } = tdm.safeParse(value);
  if (data === undefined) return undefined;
  const { tdm_reservation: reservation, tdm_policy: policy } = data;
  return {
    statements: reservationStatements('tdm_reservation', String(reservation), policy),
    disclosures: [],
  };
}

function disclosureOf(value: unknown): Said | undefined {
  const { data } = genai.safeParse(value);
  if (data === undefined) return undefined;
  const { ai_system: system } = data;
  const named = data.involvement && {
    involvement: data.involvement,
    field: 'involvement',
    value: data.involvement,
    ...(system !== undefined && { system }),
  };
  const typed =
    data.digital_source_type === undefined
      ? undefined
      : sourceTypeDisclosure('digital_source_type', data.digital_source_type, system);
  // The source type is the same statement in another vocabulary, which knows fewer differences.
  const disclosures = [named ?? typed].filter((one) => one !== undefined);
  return disclosures.length === 0 ? undefined : { statements: [], disclosures };
}

/** No trust list knows keys of this form: a good signature says that the object is that of its signer, not who that is. */
function signatureOf(
  value: unknown,
  signature: { readonly pubkey: string; readonly controller?: string | undefined } | undefined,
): Pick<ServiceMetadata, 'signature' | 'by' | 'problem'> {
  if (signature === undefined) return { signature: 'none' };
  const { pubkey, controller } = signature;
  if (!isSignedBy(value, pubkey)) return { signature: 'invalid', problem: 'the signature does not verify' };
  return { signature: 'valid', by: controller ?? pubkey };
}
