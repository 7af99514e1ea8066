/** Schemas of requests and responses. */
import { z } from 'zod';
import { returnActiveManifest } from '../../c2pa/schema.js';
import { wholeNumber } from '../../http/request/whole-number.js';
import { DECLARATION_STATUSES } from '../../storage/database/tables.js';
import { entryProof } from './log/receipt-proof.js';

/** Of receipts of this store, and of the C2PA's form, which they have in addition. */
export const RECEIPT_TYPE = 'IsccdStoreReceipt';
export const C2PA_RECEIPT_TYPE = 'org.c2pa.manifest-receipt';

/** Media type of a Manifest Store. */
export const MANIFEST_TYPE = 'application/c2pa';

export const errorBody = z
  .object({
    detail: z.string(),
    code: z.string().optional().describe('For a refused Manifest Store: status code of the first failure'),
  })
  .meta({ id: 'Error' });

export const declaration = z
  .object({
    status: z.enum(DECLARATION_STATUSES).describe('Status of the declaration to the hub'),
    isccId: z.string().optional().describe('ISCC-ID of the declaration, if declared'),
    hub: z.string().optional().describe('Hub of the declaration'),
  })
  .meta({ id: 'Declaration' });

/** With `@type` in addition: generated clients in Python cannot have it beside `type`. */
export const receipt = z
  .looseObject({
    '@context': z.record(z.string(), z.string()),
    repository: z.object({
      uri: z.string().meta({ format: 'uri' }).describe('Address of the store'),
      manifestId: z.string(),
    }),
    anchor: z.object({
      uri: z.string().meta({ format: 'uri' }).describe('Where the receipt is verified'),
      proof: z.object({
        alg: z.literal('Ed25519'),
        publicKey: z.string().describe('Multibase'),
        value: z
          .string()
          .describe(
            'Base64url of the signature of the canonical JSON (RFC 8785) of `type`, `manifestId`, `manifestUrl`, `sha256`, `size` ' +
              'and `storedAt`',
          ),
        log: entryProof.describe(
          'That the upload is in the transparency log of the store. `checkpoint` is the head of the log right after this entry, ' +
            'so a receipt is the same each time',
        ),
      }),
    }),
    type: z.literal(RECEIPT_TYPE),
    manifestId: z.string().describe('Label of the active manifest'),
    manifestUrl: z.string().meta({ format: 'uri' }),
    sha256: z.string().describe('SHA-256 of the Manifest Store in hex'),
    size: z.int().describe('Bytes of the Manifest Store'),
    storedAt: z.string().meta({ format: 'date-time' }).describe('By the clock of the store'),
    signature: z
      .object({ version: z.string(), controller: z.string(), pubkey: z.string(), proof: z.string() })
      .describe('ISCC-SIG: Ed25519 over the canonical JSON (RFC 8785) of all members except `proof`'),
  })
  .meta({ id: 'Receipt' });

const RECEIPT_RULE = 'the body must be a receipt: an object with the type org.c2pa.manifest-receipt';

/** A receipt that a client sends. Those of earlier versions have no `@type`. */
export const givenReceipt = z
  .looseObject({ type: z.unknown().optional() }, RECEIPT_RULE)
  .refine((given) => (given['@type'] ?? C2PA_RECEIPT_TYPE) === C2PA_RECEIPT_TYPE, RECEIPT_RULE)
  .refine((given) => given['@type'] !== undefined || given.type === RECEIPT_TYPE, RECEIPT_RULE)
  .meta({ id: 'GivenReceipt' });

export const verifiedReceipt = z
  .looseObject({
    '@type': z.string().optional().describe('`org.c2pa.manifest-receipt`'),
    verified: z
      .boolean()
      .describe('Whether the key of this store signed it, for this manifest and the bytes that are stored'),
    error: z.string().optional().describe('Why it is not verified'),
  })
  .meta({ id: 'VerifiedReceipt' });

const bindingsView = z
  .object({
    indexed: z.int().describe('Number of soft bindings by which the manifest is found'),
    skipped: z
      .array(
        z.object({
          alg: z.string().describe('Its algorithm; may be empty'),
          reason: z.string().describe('Why the manifest is not found by it'),
        }),
      )
      .describe('The first 64 soft bindings that are stored in the manifest but not indexed'),
  })
  .meta({ id: 'Bindings' });

export const uploadAnswer = z
  .object({
    manifestId: z.string().describe('Label of the active manifest'),
    manifestUrl: z
      .string()
      .meta({ format: 'uri' })
      .describe('URL of the manifest; gateway of its declaration'),
    declaration,
    bindings: bindingsView
      .optional()
      .describe('What was indexed (extension); absent for stored bytes that are no longer valid'),
    owned: z
      .boolean()
      .optional()
      .describe(
        'With an upload token: whether the manifest belongs to its publisher, not to one that uploaded the same bytes before (extension)',
      ),
    receipt: receipt.optional(),
  })
  .meta({ id: 'Upload' });

export type BindingsView = z.infer<typeof bindingsView>;

export type UploadAnswer = Omit<z.infer<typeof uploadAnswer>, 'receipt'>;
export type DeclarationView = z.infer<typeof declaration>;

const DECLARE_RULE = 'declare must be true or false';
const DETAILED_RULE = 'detailed must be true or false';

function isTrue(text: string): boolean {
  return text === '1' || text.toLowerCase() === 'true';
}

const declareParameter = (meaning: string) =>
  z
    .string(DECLARE_RULE)
    .regex(/^(?:true|false|1|0)$/i, DECLARE_RULE)
    .transform(isTrue)
    .optional()
    .describe(`${meaning}; default: \`MSTORE_DECLARE_DEFAULT\``)
    .meta({ type: 'boolean' });

const textMember = (name: string) => z.string(`${name} must be a text`).min(1, `${name} is empty`);

export const bindingQuery = z.object({
  declare: declareParameter(
    'Whether to declare a manifest that names no ISCC itself and gets one by this request',
  ),
});

export const bindingRequest = z
  .object({
    manifestId: textMember('manifestId').describe('Label of the active manifest'),
    bindingValue: textMember('bindingValue').describe(
      'The value of the soft binding in Base64; of `io.iscc.v0` also an ISCC as text, `ISCC:...`',
    ),
    alg: textMember('alg')
      .optional()
      .describe('Algorithm of the value (extension); can be left out if the value is an ISCC as text'),
  })
  .meta({ id: 'BindingRequest' });

export type BindingRequest = z.infer<typeof bindingRequest>;

export const uploadQuery = z.object({
  declare: declareParameter('Whether to declare the manifest'),
  returnReceipt: z
    .unknown()
    .transform((value) => typeof value === 'string' && /^(?:true|1)$/i.test(value))
    .optional()
    .describe('Whether the response has a signed receipt; ignored if the store has no key (`MSTORE_SECKEY`)')
    .meta({ type: 'boolean', default: false }),
});

const claimedFacts = z.object({
  title: z.string().optional().describe('Title of the asset'),
  format: z.string().optional().describe('Media type of the asset'),
  signer: z.string().optional().describe('Common name of the signing certificate'),
  issuer: z.string().optional().describe('Organisation of the signing certificate'),
  time: z.string().optional().describe('Time of the signature by a time-stamp authority, RFC 3339'),
  claimGenerator: z.string().optional().describe('Program that made the claim'),
  actions: z.array(
    z.object({ action: z.string(), when: z.string().optional(), digitalSourceType: z.string().optional() }),
  ),
  ingredients: z.array(
    z.object({
      title: z.string().optional(),
      format: z.string().optional(),
      relationship: z.string().optional(),
      manifestId: z.string().optional().describe('Label of its own manifest'),
    }),
  ),
  training: z
    .record(z.string(), z.string())
    .describe('Uses for AI training and data mining: `allowed`, `notAllowed` or `constrained`'),
});

/** What the store and the active manifest say. Texts of the manifest are claims of its signer. */
export const manifestSummary = claimedFacts.extend({
  manifestId: z.string(),
  manifestUrl: z.string(),
  sha256: z.string().describe('SHA-256 of the Manifest Store in hex'),
  size: z.int().describe('Bytes of the Manifest Store'),
  storedAt: z.string(),
  trusted: z.boolean().describe('Whether a trust list vouches for the signer'),
  trustList: z
    .string()
    .optional()
    .describe('Name of that list: `C2PA-TRUST-LIST`, or `trust-anchors` for the anchors of the operator'),
  timeStampList: z
    .string()
    .optional()
    .describe(
      'Name of the list that vouches for the time-stamper, so that the time-stamp counts: `C2PA-TSA-TRUST-LIST` or `trust-anchors`',
    ),
  identityList: z
    .string()
    .optional()
    .describe('Name of the list that vouches for the CAWG identity in the manifest'),
  declaration,
  thumbnailUrl: z.string().optional(),
});

/** One manifest in a list. */
export const listedManifest = claimedFacts
  .pick({ title: true, format: true, signer: true, time: true })
  .extend({
    key: z.int().describe('Position in the list, for `after`'),
    manifestId: z.string().describe('Label of the active manifest'),
    manifestUrl: z.string().meta({ format: 'uri' }),
    sha256: z.string().describe('SHA-256 of the Manifest Store in hex'),
    size: z.int().describe('Bytes of the Manifest Store'),
    storedAt: z.string().meta({ format: 'date-time' }),
    trusted: z.boolean().describe('Whether a trust list vouches for the signer'),
    publisher: z.string().optional().describe('Owner of the upload token; absent for an anonymous upload'),
    declaration,
  })
  .meta({ id: 'ListedManifest' });

export type ListedManifest = z.infer<typeof listedManifest>;

export const LIST_LIMIT_DEFAULT = 100;
const LIST_LIMIT_MAX = 1000;
const LIMIT_RULE = `limit must be an integer from 1 to ${LIST_LIMIT_MAX}`;
/** 15 digits are exact in every JSON reader. */
const KEY_MAX = 999_999_999_999_999;
const AFTER_RULE = 'after must be the key of a manifest: an integer from 0 on';

export const listQuery = z.object({
  after: wholeNumber(AFTER_RULE, 0, KEY_MAX)
    .optional()
    .describe('Key to continue after; the manifest may have been deleted')
    .meta({ type: 'integer', minimum: 0 }),
  limit: wholeNumber(LIMIT_RULE, 1, LIST_LIMIT_MAX)
    .optional()
    .describe('Maximum number of manifests')
    .meta({ type: 'integer', minimum: 1, maximum: LIST_LIMIT_MAX, default: LIST_LIMIT_DEFAULT }),
});

export type ClaimedFacts = z.infer<typeof claimedFacts>;
export type ManifestSummary = z.infer<typeof manifestSummary>;

export const fetchQuery = z.object({
  returnActiveManifest,
  detailed: z
    .string(DETAILED_RULE)
    .regex(/^(?:true|false|1|0)$/i, DETAILED_RULE)
    .transform(isTrue)
    .optional()
    .describe(
      'With `Accept: application/json`: whether the response has all that the Manifest Store contains',
    )
    .meta({ type: 'boolean', default: false }),
});

export const manifestPath = z.object({
  manifestId: z.string().describe('Label of the active manifest'),
});

export const summary = z.object({
  title: z.string(),
  description: z.string(),
  version: z.string(),
  docs: z.string(),
});

export const didDocument = z.object({ id: z.string() }).loose().meta({ id: 'DidDocument' });
