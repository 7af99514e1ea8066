/**
 * Records on a disk that becomes full and has space again; prints what happened as JSON. Usage: full-disk-records.ts FOLDER
 *
 * A process of its own: after a write that failed, lmdb 3.5.6 sometimes finds its own heap corrupted and aborts.
 */
import { appendFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { firstMediaIdAt, type MediaId } from '../../../src/codes/media-id.js';
import { Records } from '../../../src/codes/records.js';
import type { IsccResult } from '../../../src/codes/result.js';
import { StorageFull } from '../../../src/data/full.js';

const [folder] = process.argv.slice(2) as [string];
const [a, b] = [1000, 2000].map(firstMediaIdAt) as [MediaId, MediaId];
const record = { filename: 'ü.txt', contentType: 'text/plain', uploader: 'ab', createdAt: 5, bytes: 3 };
const large = { iscc: 'x'.repeat(100_000) } as unknown as IsccResult;

let broken = 0;
const records = await Records.open(path.join(folder, 'records'), { onBroken: () => (broken += 1) });
await records.add(a, record);
const filler = path.join(folder, 'filler');
try {
  for (;;) await appendFile(filler, Buffer.alloc(4096));
} catch (error) {
  if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
}
const full = await records.add(b, record, large).catch((error: unknown) => error);
const whileFull = {
  isRefused: full instanceof StorageFull && full.cause instanceof Error,
  problem: await records.problem(),
  stored: [records.has(a), records.has(b)],
};
await rm(filler);
while ((await records.problem()) !== undefined) await pause(50);
await records.add(b, record, large);
const isStored = JSON.stringify(records.findResult(b)) === JSON.stringify(large);
await records.close();
process.stdout.write(JSON.stringify({ ...whileFull, isStored, broken }), () => process.exit());
