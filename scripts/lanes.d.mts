/** Runs jobs beside each other; `lanes.mjs` describes how. */
export function runInLanes<
  Job extends { readonly seconds: number; readonly alone?: string | undefined },
  Result,
>(jobs: readonly Job[], lanes: number, run: (job: Job) => Promise<Result>): Promise<Result[]>;
