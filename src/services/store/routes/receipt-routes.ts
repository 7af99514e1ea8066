/** HTTP routes of receipts: those of the C2PA, which verify, and the receipt alone. */
import { json } from '../../../http/routing/replies.js';
import { type ResponseSpec, type Route, route } from '../../../http/routing/route.js';
import { THROTTLED } from '../../../platform/limits/throttle.js';
import type { Receipts } from '../receipts.js';
import { givenReceipt, manifestPath, receipt, verifiedReceipt } from '../schema.js';

const RECEIPT_BYTES_MAX = 64 * 1024;

const RESPONSES: Readonly<Record<number, ResponseSpec>> = {
  404: { description: 'The manifest does not exist, or the store has no key.' },
  410: { description: 'The manifest was deleted.' },
  429: THROTTLED,
  503: { description: 'The database is unavailable; see Retry-After.' },
};

/** @param guard counts reads */
export function receiptRoutes(receipts: Receipts, guard: NonNullable<Route['guard']>): Route[] {
  const common = { tags: ['manifests'], params: manifestPath, guard } as const;
  return [
    route({
      ...common,
      method: 'GET',
      path: '/v1/manifests/{manifestId}/receipt',
      operationId: 'getManifestReceipt',
      summary: 'Fetch the signed receipt of a manifest',
      description:
        'An extension of the C2PA definition: the receipt without `verified`, as its signature covers it. ' +
        '`isccd store verify-receipt` verifies it offline. Slashes of the id have to be percent-encoded.',
      responses: { ...RESPONSES, 200: { description: 'The receipt.', schema: receipt } },
      handler: async ({ params }) => json(await receipts.of(params.manifestId)),
    }),
    route({
      ...common,
      method: 'GET',
      path: '/v1/manifests/{manifestId}/receipts',
      operationId: 'getVerifiedReceipt',
      summary: 'Fetch the receipt of a manifest, verified',
      description:
        'What the store has stored and when, signed with its did:web key. Slashes of the id have to be percent-encoded.',
      responses: { ...RESPONSES, 200: { description: 'The receipt.', schema: verifiedReceipt } },
      handler: async ({ params }) => {
        const issued = await receipts.of(params.manifestId);
        return json({ ...issued, ...(await receipts.verify(params.manifestId, { ...issued })) });
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: '/v1/manifests/{manifestId}/receipts',
      operationId: 'verifyReceipt',
      summary: 'Verify a receipt of a manifest',
      description:
        'The response is the receipt with `verified`: whether the key of this store signed it, for this manifest and the bytes that ' +
        'are stored. If not, `error` says why. Receipts of earlier versions of the store are verified, too.',
      body: { kind: 'json', schema: givenReceipt, bytesMax: RECEIPT_BYTES_MAX },
      responses: {
        ...RESPONSES,
        200: { description: 'The receipt and the result.', schema: verifiedReceipt },
        400: { description: 'The body is not a receipt.' },
      },
      handler: async ({ params, body }) =>
        json({ ...body, ...(await receipts.verify(params.manifestId, body)) }),
    }),
  ];
}
