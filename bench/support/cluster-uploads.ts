/** Uploads to S3 (SeaweedFS on this machine) compared with uploads to a folder. */
import { startSeaweed } from '../../test/support/seaweed.js';
import { compare, postsPerSecond, startCodes, uploadOf } from './cluster-codes.js';
import { quickOr } from './options.js';

const CONNECTIONS = 8;
const KIB = 1024;
/** The last one is sent in parts. */
const SIZES_KIB = quickOr([64], [64, 1024, 24 * 1024]);

export async function uploads(): Promise<void> {
  const s3 = await startSeaweed();
  try {
    const media = { CODEWEB_MEDIA_PATH: `s3://${await s3.createBucket()}/bench` };
    const folder = await startCodes({});
    const bucket = await startCodes({ ...s3.variables, ...media });
    try {
      console.log(`${'POST /iscc'.padEnd(28)}      folder          S3   S3/folder`);
      for (const size of SIZES_KIB) {
        const post = uploadOf(size * KIB);
        const rate = (server: typeof folder) => postsPerSecond(server, post, CONNECTIONS);
        await compare(`${size} KiB, ${CONNECTIONS} at a time`, folder, bucket, rate);
      }
    } finally {
      await Promise.all([folder.stop(), bucket.stop()]);
    }
  } finally {
    await s3.stop();
  }
}
