/** A start that fails after some parts were opened: the process ends, so that its supervisor can start it again. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { servicePorts } from '../support/all-services.js';
import { type PostgresServer, query, startPostgres } from '../support/postgres.js';
import { type RedisServer, startRedis } from '../support/redis.js';
import { serve } from '../support/serve.js';
import { INSTALL_MAX_MS } from '../support/set-up.js';

const TEST_MS_MAX = 120_000;

let roles = 0;
let postgres: PostgresServer;
let redis: RedisServer;
beforeAll(async () => {
  [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
}, INSTALL_MAX_MS);
afterAll(() => Promise.all([postgres?.stop(), redis?.stop()]));

/** In the order in which the store needs them. */
const PRIVILEGES = [
  'all on installation',
  'select on feed',
  'update on installation',
  'select on index_ledger',
];

test.each(PRIVILEGES)(
  'the store ends if its database no longer permits: %s',
  async (privilege) => {
    const folder = await mkdtemp(path.join(tmpdir(), 'isccd-start-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const asOwner = await postgres.createDatabase();
    roles += 1;
    const role = `limited_${roles}`;
    await query(asOwner, `create role ${role} login`);
    await query(asOwner, `grant all on schema public to ${role}`);
    const env = {
      ...(await servicePorts()),
      ISCCD_DATA_DIR: folder,
      INDEXSVC_INDEX_URI: 'memory://',
      DATABASE_URL: asOwner.replace('://isccd@', `://${role}@`),
      ISCCD_REDIS_URL: redis.url,
    };
    const first = await serve(['search', 'store'], { cwd: folder, env });
    await first.stop();
    await query(asOwner, `revoke ${privilege} from ${role}`);
    const under = ['timeout', '--signal=KILL', '30'];
    const start = serve(['search', 'store'], { cwd: folder, env, under });
    await expect(start).rejects.toThrow(
      /exited \(1\)[\s\S]*isccd: store does not start .*: permission denied/,
    );
  },
  TEST_MS_MAX,
);
