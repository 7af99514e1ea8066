/**
 * Runs jobs beside each other, the longest first, so that the last ones to end are short. At most `lanes` run at a time.
 * Jobs with a reason to run alone follow one after another, when no other job runs. Returns the results in the order of
 * the jobs.
 *
 * @template {{ readonly seconds: number, readonly alone?: string | undefined }} Job
 * @template Result
 * @param {readonly Job[]} jobs `seconds` is about how long each takes
 * @param {number} lanes
 * @param {(job: Job) => Promise<Result>} run
 * @returns {Promise<Result[]>}
 */
export async function runInLanes(jobs, lanes, run) {
  const results = new Map();
  const work = async (pending) => {
    for (let job = pending.shift(); job !== undefined; job = pending.shift())
      results.set(job, await run(job));
  };
  const shared = jobs.filter(({ alone }) => alone === undefined).sort((a, b) => b.seconds - a.seconds);
  await Promise.all(Array.from({ length: lanes }, () => work(shared)));
  await work(jobs.filter(({ alone }) => alone !== undefined));
  return jobs.map((job) => results.get(job));
}
