/** Syncs reach the disk. That they are in the right places is what `test/faults/power-loss.test.ts` is about. */
import { expect, it } from 'vitest';
import { syncPath } from '../../src/storage/data/durable.js';

it.runIf(process.platform === 'linux')('a sync reports that it failed', async () => {
  // Opens, but has nothing to sync.
  await expect(syncPath('/dev/null')).rejects.toMatchObject({ code: 'EINVAL', syscall: 'fsync' });
  await expect(syncPath('/nonexistent/file')).rejects.toMatchObject({ code: 'ENOENT' });
});
