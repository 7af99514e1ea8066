/** HTTP routes that describe the store. */
import { contentCapabilities } from '../../../c2pa/content-routes.js';
import { algorithmsDocument, ISCC_ALGORITHM, statusDocument } from '../../../c2pa/documents.js';
import { serviceRoutes } from '../../../c2pa/service-routes.js';
import { pageAssets, startPage } from '../../../http/docs/pages.js';
import { json } from '../../../http/routing/replies.js';
import { type Route, route } from '../../../http/routing/route.js';
import { version } from '../../../platform/version.js';
import { StoreRefusal } from '../errors.js';
import { didDocument } from '../schema.js';
import type { StoreService } from '../service.js';

export const TITLE = 'C2PA manifest store';
export const DESCRIPTION =
  'Stores C2PA Manifest Stores, finds them by their soft bindings, and declares them to a hub.';

const START_PAGE = {
  service: 'store',
  title: 'isccd: manifest store',
};

const SUMMARY = { title: TITLE, description: DESCRIPTION, version, docs: '/docs' };

export interface ServiceRouteOptions {
  readonly url: string;
  /** Whether an algorithm is a watermark by the current list. */
  readonly isWatermark: (alg: string) => boolean;
  /** Whether clients can query with an asset. */
  readonly byContent: boolean;
}

export function storeServiceRoutes(service: StoreService, options: ServiceRouteOptions): Route[] {
  const { url, isWatermark, byContent } = options;
  return [
    ...serviceRoutes({
      title: TITLE,
      baseOf: () => url,
      algorithms: async () => {
        const algorithms = [...new Set([ISCC_ALGORITHM, ...(await service.algorithms())])];
        return algorithmsDocument(
          algorithms.filter(isWatermark),
          algorithms.filter((alg) => !isWatermark(alg)),
        );
      },
      capabilities: ['storeManifests', 'storeBindings', ...contentCapabilities(byContent)],
      status: async () => statusDocument((await service.isDegraded()) ? 'degraded' : 'ok', Date.now()),
      statusNote: '`degraded` while a declaration has been pending for more than 15 minutes.',
    }),
    did(service),
    startPage(START_PAGE, SUMMARY),
    ...pageAssets(),
  ];
}

function did(service: StoreService): Route {
  return route({
    method: 'GET',
    path: '/.well-known/did.json',
    operationId: 'getDidDocument',
    summary: 'did:web document of the key that signs declarations',
    tags: ['services'],
    responses: {
      200: { description: 'The document.', schema: didDocument },
      404: { description: 'The store does not declare.' },
    },
    handler: () => {
      const document = service.didDocument();
      if (document === undefined) throw new StoreRefusal('NOT_FOUND');
      return json(document);
    },
  });
}
