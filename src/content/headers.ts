/** Headers of a request whose body is an asset: the same in store and resolver. */
import { z } from 'zod';

export const assetHeaders = z.object({
  'x-upload-filename': z
    .string()
    .optional()
    .describe(
      'Base64 of the UTF-8 file name, as for `POST /api/v1/iscc`: the Meta-Code of an asset without a title is made from ' +
        'it. Default: `asset`. An extension of isccd.',
    )
    .meta({ example: 'cGhvdG8uanBn' }),
});

/** Names of the headers, for CORS. */
export const ASSET_HEADERS = ['X-Upload-Filename'] as const;
