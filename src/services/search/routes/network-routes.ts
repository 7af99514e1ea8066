/** Routes of aggregator mode: what this node accepted of each hub's log, so that others can compare and verify it. */
import { z } from 'zod';
import { wholeNumber } from '../../../http/request/whole-number.js';
import { detailReply, json } from '../../../http/routing/replies.js';
import { type Reply, type Route, route } from '../../../http/routing/route.js';
import type { Published } from '../../../network/published.js';
import { SearchRefusal } from '../errors.js';

const HUB_ID_MAX = 4095;
const HUB_RULE = `hub_id must be an integer from 0 to ${HUB_ID_MAX}`;
const RETRY_SECONDS = '10';
/** As hubs send them. */
const CACHED_SHORTLY = 'max-age=10';
const CACHED_FOREVER = 'public, max-age=31536000, immutable';

const hub = z.object({
  hub_id: wholeNumber(HUB_RULE, 0, HUB_ID_MAX)
    .describe('Number of the hub')
    .meta({ type: 'integer', minimum: 0, maximum: HUB_ID_MAX }),
});
const asset = z.object({ iscc_id: z.string().describe('ISCC-ID with prefix') });
const file = hub.extend({ path: z.string().describe('`checkpoint` or a path below `tile/`') });

const entryProof = {
  leafIndex: z.int(),
  inclusionProof: z.array(z.string()).describe('Hashes in Base64, from the leaf up'),
};
const inclusionProof = z.object({
  type: z.literal('IsccLogInclusionProof'),
  checkpoint: z.string().describe('The signed note, verbatim'),
  treeSize: z.int(),
  ...entryProof,
  deletion: z.object(entryProof).optional().describe('The deletion of the ISCC-ID'),
});
const evidence = z.array(
  z.looseObject({
    kind: z.enum(['fork', 'replaced']),
    time: z.string(),
    accepted: z.string().nullable().describe('The note that this node had accepted'),
    other: z.string().describe('The note that contradicts it'),
    proof: z.array(z.string()).describe('RFC 6962 consistency proof in Base64; empty if the sizes are equal'),
  }),
);

const NOT_FOUND = { description: 'The node does not have it.' };
/** Open to every page: the routes serve public facts. */
const OPEN = { tags: ['network'], cors: false } as const;

/** @param mirrors whether the logs themselves are served */
export function networkRoutes(published: Published, mirrors: boolean): Route[] {
  return [...evidenceRoutes(published), ...(mirrors ? [mirrorRoute(published)] : [])];
}

function evidenceRoutes(published: Published): Route[] {
  return [
    route({
      ...OPEN,
      method: 'GET',
      path: '/network/hubs/{hub_id}/checkpoint',
      operationId: 'getCheckpoint',
      summary: 'Get the checkpoint of a hub that this node accepted',
      params: hub,
      responses: {
        200: { description: 'The signed note, verbatim.', contentType: 'text/plain' },
        404: NOT_FOUND,
      },
      handler: ({ params }) => {
        const note = published.checkpoint(params.hub_id);
        if (note === undefined) throw new SearchRefusal('NOT_FOUND');
        return open({ status: 200, body: { kind: 'text', text: note } }, CACHED_SHORTLY);
      },
    }),
    route({
      ...OPEN,
      method: 'GET',
      path: '/network/hubs/{hub_id}/evidence',
      operationId: 'getEvidence',
      summary: 'List the proven contradictions of a hub',
      params: hub,
      responses: { 200: { description: 'Oldest first.', schema: evidence }, 404: NOT_FOUND },
      handler: async ({ params }) => {
        const found = await published.evidence(params.hub_id);
        if (found === undefined) throw new SearchRefusal('NOT_FOUND');
        return open(json(found), CACHED_SHORTLY);
      },
    }),
    route({
      ...OPEN,
      method: 'GET',
      path: '/network/inclusion/{iscc_id}',
      operationId: 'getInclusionProof',
      summary: 'Prove that a declaration is in the log of its hub',
      params: asset,
      responses: {
        200: { description: 'The proof, in the form of a hub’s receipt.', schema: inclusionProof },
        404: NOT_FOUND,
        503: { description: 'The node is still reading the log; see Retry-After.' },
      },
      handler: async ({ params }) => {
        const found = await published.inclusion(params.iscc_id);
        if (found === undefined) throw new SearchRefusal('NOT_FOUND');
        return found === 'pending' ? pending() : open(json(found), CACHED_SHORTLY);
      },
    }),
  ];
}

function mirrorRoute(published: Published): Route {
  return route({
    ...OPEN,
    method: 'GET',
    path: '/network/hubs/{hub_id}/log/{path...}',
    operationId: 'getLogFile',
    summary: 'Get a file of a mirrored log (C2SP tlog-tiles)',
    params: file,
    responses: {
      200: { description: 'The file.', contentType: 'application/octet-stream' },
      404: NOT_FOUND,
    },
    handler: async ({ params }) => {
      const found = await published.file(params.hub_id, params.path);
      if (found === undefined) throw new SearchRefusal('NOT_FOUND');
      const isNote = params.path === 'checkpoint';
      const contentType = isNote ? 'text/plain; charset=utf-8' : 'application/octet-stream';
      const reply = { status: 200, body: { kind: 'bytes', bytes: found.bytes, contentType } } as const;
      return open(reply, found.isFull ? CACHED_FOREVER : CACHED_SHORTLY);
    },
  });
}

function pending(): Reply {
  const reply = detailReply(503, 'The log of the hub is still being read; try again later');
  return open({ ...reply, headers: { 'Retry-After': RETRY_SECONDS } }, 'no-store');
}

function open(reply: Reply, caching: string): Reply {
  const headers = { ...reply.headers, 'Access-Control-Allow-Origin': '*', 'Cache-Control': caching };
  return { ...reply, headers };
}
