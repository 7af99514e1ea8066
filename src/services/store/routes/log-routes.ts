/** HTTP routes of the store's transparency log (C2SP tlog-tiles). */
import { z } from 'zod';
import { type Reply, type Route, route } from '../../../http/routing/route.js';
import { THROTTLED } from '../../../platform/limits/throttle.js';
import type { SigningKey } from '../../../platform/signing/key.js';
import { StoreRefusal } from '../errors.js';
import type { StoreLog } from '../log/store-log.js';

const CHECKPOINT = 'checkpoint';
const NOTE_TYPE = 'text/plain; charset=utf-8';
const BYTES_TYPE = 'application/octet-stream';
const CACHED_SHORTLY = 'max-age=10';
const CACHED_FOREVER = 'public, max-age=31536000, immutable';

const file = z.object({ path: z.string().describe('`checkpoint`, or a path below `tile/`') });

/**
 * @param key signs checkpoints; without one, the log is not served
 * @param guard counts reads
 */
export function logRoutes(
  log: StoreLog,
  key: SigningKey | undefined,
  guard: NonNullable<Route['guard']>,
): Route[] {
  return [
    route({
      method: 'GET',
      path: '/log/{path...}',
      operationId: 'getStoreLogFile',
      summary: "Get a file of the store's transparency log",
      description:
        'C2SP tlog-tiles: `checkpoint` is the head of the log, signed with the key of the store; `tile/entries/…` has entries, ' +
        '`tile/0/…` and above have hashes. The log has an entry for each manifest that was stored, deleted, displaced, ' +
        'restored or released, committed with it.',
      tags: ['log'],
      params: file,
      guard,
      responses: {
        200: { description: 'The file.', contentType: BYTES_TYPE },
        404: { description: 'The log does not have it, or the store has no key (`MSTORE_SECKEY`).' },
        429: THROTTLED,
        503: { description: 'The database is unavailable; see Retry-After.' },
      },
      handler: async ({ params: { path } }) => {
        if (key === undefined) throw new StoreRefusal('NO_LOG');
        if (path === CHECKPOINT)
          return reply(Buffer.from(await log.checkpoint(key)), NOTE_TYPE, CACHED_SHORTLY);
        const found = await log.file(path);
        if (found === undefined) throw new StoreRefusal('NOT_FOUND');
        return reply(found.bytes, BYTES_TYPE, found.isFull ? CACHED_FOREVER : CACHED_SHORTLY);
      },
    }),
  ];
}

function reply(bytes: Buffer, contentType: string, caching: string): Reply {
  return { status: 200, headers: { 'Cache-Control': caching }, body: { kind: 'bytes', bytes, contentType } };
}
