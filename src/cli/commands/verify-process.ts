/**
 * Checks one data directory in its own process, because reading badly damaged data can crash the process. Started by
 * `verify.ts`, which sends a {@link VerifyJob}; reports by messages.
 */
import { once } from 'node:events';
import type { S3Settings } from '../../platform/config/s3.js';
import { failureReason } from '../../platform/failure-reason.js';
import { verifyCodes } from '../../services/codes/verify.js';
import { verifyIndex } from '../../services/search/verify.js';
import { verifyStore } from '../../services/store/verify.js';
import type { Checked, OnProblem, OnStep } from '../../storage/data/port.js';
import type { AuditHead } from '../../storage/database/audit-chain.js';

/** The data to check. */
export type VerifyJob =
  | { readonly kind: 'codes'; readonly folder: string }
  | {
      readonly kind: 'search';
      readonly folder: string;
      readonly index: string;
      readonly hasDigest: boolean;
    }
  | {
      readonly kind: 'store';
      readonly folder: string;
      readonly databaseUrl?: string;
      readonly earlierHead?: AuditHead;
      readonly earlierLogHead?: AuditHead;
      readonly blobsS3?: S3Settings;
    };

/** Messages of the process; the last one is `done` or `failed`. */
export type VerifyMessage =
  | { readonly type: 'problem'; readonly key: string; readonly rule: string }
  | { readonly type: 'steps'; readonly steps: number }
  | { readonly type: 'done'; readonly checked: Checked }
  | { readonly type: 'failed'; readonly reason: string };

const STEPS_PER_MESSAGE = 100;

function check(job: VerifyJob, onProblem: OnProblem, onStep: OnStep): Promise<Checked> {
  switch (job.kind) {
    case 'codes':
      return verifyCodes(job.folder, onProblem, onStep);
    case 'search':
      return verifyIndex(job.folder, job.index, job.hasDigest, onProblem);
    case 'store': {
      const { folder: dataDir, databaseUrl: url, ...rest } = job;
      return verifyStore({ ...rest, dataDir, url, blobsS3: job.blobsS3 }, onProblem, onStep);
    }
    default:
      return job satisfies never;
  }
}

function report(message: VerifyMessage): Promise<void> {
  return new Promise((resolve) => process.send?.(message, undefined, undefined, () => resolve()));
}

/** What to check: the first message. */
async function job(): Promise<VerifyJob> {
  const [message] = (await once(process, 'message')) as [VerifyJob];
  return message;
}

let steps = 0;
try {
  const checked = await check(
    await job(),
    (key, rule) => void report({ type: 'problem', key, rule }),
    () => {
      steps += 1;
      if (steps % STEPS_PER_MESSAGE === 0) void report({ type: 'steps', steps });
    },
  );
  await report({ type: 'done', checked });
} catch (error) {
  await report({ type: 'failed', reason: failureReason(error) });
}
process.disconnect?.();
