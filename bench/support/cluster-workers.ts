/**
 * Two processes (`isccd serve --workers 2`) compared with one, both with S3 and Redis. The load generator, SeaweedFS and
 * Redis run on the same cores, so the ratio is far below two on a small machine.
 */
import { startRedis } from '../../test/support/redis.js';
import { startSeaweed } from '../../test/support/seaweed.js';
import { compare, getsPerSecond, type Post, postsPerSecond, startCodes, uploadOf } from './cluster-codes.js';

const CONNECTIONS = 16;
const CODE = 'ISCC:KMDMRJYGHHVRCZ5TM6U4G6D4MXA6LAXC4ZRPOKFU7JBEQXR2BJOS6NA';
const TEXT = 'The quick brown fox jumps over the lazy dog, again and again. '.repeat(160);
const SIMPRINT: Post = {
  path: '/api/v1/simprint',
  body: Buffer.from(JSON.stringify({ text: TEXT })),
  status: 200,
  headers: { 'Content-Type': 'application/json' },
};
const UPLOAD = uploadOf(64 * 1024);

export async function workers(): Promise<void> {
  const [s3, redis] = await Promise.all([startSeaweed(), startRedis()]);
  try {
    const media = { CODEWEB_MEDIA_PATH: `s3://${await s3.createBucket()}/bench` };
    const env = { ...s3.variables, ...media, ISCCD_REDIS_URL: redis.url };
    const one = await startCodes(env);
    const two = await startCodes(env, ['--workers', '2']);
    try {
      console.log(`${'workers'.padEnd(28)}           1           2       ratio`);
      await compare('GET /explain', one, two, (server) => getsPerSecond(server, `/api/v1/explain/${CODE}`));
      await compare('POST /simprint, 10 KiB', one, two, (server) =>
        postsPerSecond(server, SIMPRINT, CONNECTIONS),
      );
      await compare('POST /iscc, 64 KiB', one, two, (server) => postsPerSecond(server, UPLOAD, CONNECTIONS));
    } finally {
      await Promise.all([one.stop(), two.stop()]);
    }
  } finally {
    await Promise.all([s3.stop(), redis.stop()]);
  }
}
