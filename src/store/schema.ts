/** Schemas of requests and responses. */
import { z } from 'zod';
import { DECLARATION_STATUSES } from '../database/tables.js';

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

export const uploadAnswer = z
  .object({
    manifestId: z.string().describe('Label of the active manifest'),
    manifestUrl: z
      .string()
      .meta({ format: 'uri' })
      .describe('URL of the manifest; gateway of its declaration'),
    declaration,
  })
  .meta({ id: 'Upload' });

export type UploadAnswer = z.infer<typeof uploadAnswer>;
export type DeclarationView = z.infer<typeof declaration>;

const DECLARE_RULE = 'declare must be true or false';

export const uploadQuery = z.object({
  declare: z
    .string(DECLARE_RULE)
    .regex(/^(?:true|false|1|0)$/i, DECLARE_RULE)
    .transform((text) => text === '1' || text.toLowerCase() === 'true')
    .optional()
    .describe('Whether to declare the manifest; default: `MSTORE_DECLARE_DEFAULT`')
    .meta({ type: 'boolean' }),
  returnReceipt: z
    .unknown()
    .optional()
    .describe('Accepted and ignored: the store issues no receipts')
    .meta({ type: 'boolean', default: false }),
});

export const fetchQuery = z.object({
  returnActiveManifest: z
    .unknown()
    .optional()
    .describe('Accepted and ignored: the response is the whole Manifest Store')
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
