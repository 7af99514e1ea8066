/**
 * Checks one place in a process of its own: what is damaged badly enough ends whoever reads it. Started by
 * `verify.ts` with a {@link VerifyJob} as its argument; tells what it finds by messages.
 */
import { verifyCodes } from '../../codes/verify.js';
import type { Checked, OnProblem, OnStep } from '../../data/port.js';
import { verifyIndex } from '../../search/verify.js';
import { verifyStore } from '../../store/verify.js';

/** What is to be checked. */
export type VerifyJob =
  | { readonly kind: 'codes'; readonly folder: string }
  | { readonly kind: 'search'; readonly folder: string; readonly index: string }
  | { readonly kind: 'store'; readonly folder: string; readonly databaseUrl?: string };

/** What the process tells; the last is `done` or `failed`. */
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
      return verifyIndex(job.folder, job.index, onProblem);
    case 'store':
      return verifyStore({ dataDir: job.folder, url: job.databaseUrl }, onProblem, onStep);
    default:
      return job satisfies never;
  }
}

function tell(message: VerifyMessage): Promise<void> {
  return new Promise((resolve) => process.send?.(message, undefined, undefined, () => resolve()));
}

let steps = 0;
try {
  const checked = await check(
    JSON.parse(process.argv[2] ?? '') as VerifyJob,
    (key, rule) => void tell({ type: 'problem', key, rule }),
    () => {
      steps += 1;
      if (steps % STEPS_PER_MESSAGE === 0) void tell({ type: 'steps', steps });
    },
  );
  await tell({ type: 'done', checked });
} catch (error) {
  await tell({ type: 'failed', reason: error instanceof Error ? error.message : String(error) });
}
process.disconnect?.();
