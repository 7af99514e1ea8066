/** How a request names the file that its body is: the same in all services. `codes/filename.ts` has the rules of names. */
import { z } from 'zod';
import { isUtf8Query } from '../http/request/query.js';
import type { Request } from '../http/routing/route.js';

/** A name as it was sent. An `undecodable` one has bytes that are not UTF-8. */
export interface SentFilename {
  readonly form: 'base64' | 'text' | 'undecodable';
  readonly value: string;
}

export const FILENAME_HEADER = 'X-Upload-Filename';

/** The query parameter; has priority over the header. */
export const filenameParameter = z
  .string()
  .optional()
  .describe(
    'File name as percent-encoded UTF-8. May be sent instead of the header `X-Upload-Filename`, and has priority',
  )
  .meta({ example: 'photo.jpg' });

const assetName =
  'the Meta-Code of an asset without a title is made from it. Default: `asset`. An extension of isccd.';

export const assetHeaders = z.object({
  'x-upload-filename': z
    .string()
    .optional()
    .describe(`Base64 of the UTF-8 file name, as for \`POST /api/v1/iscc\`: ${assetName}`)
    .meta({ example: 'cGhvdG8uanBn' }),
});

/** Names of the headers, for CORS. */
export const ASSET_HEADERS = [FILENAME_HEADER] as const;

/** The name that a request sends; `undefined` if it sends none, or an empty one. */
export function sentFilename({
  query: { filename },
  headers: { 'x-upload-filename': header },
  rawQuery,
}: Pick<
  Request<
    unknown,
    { readonly filename?: string | undefined },
    { readonly 'x-upload-filename'?: string | undefined }
  >,
  'query' | 'headers' | 'rawQuery'
>): SentFilename | undefined {
  if (filename) return { form: isUtf8Query(rawQuery) ? 'text' : 'undecodable', value: filename };
  return header ? { form: 'base64', value: header } : undefined;
}
