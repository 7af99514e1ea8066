/** The list of parts, and how they run beside each other. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { runInLanes } from '../../scripts/lanes.mjs';
import { PARTS } from '../../scripts/torture-parts.mjs';

const root = path.resolve(import.meta.dirname, '../..');

describe('the parts', () => {
  test('have one name each', () => {
    const names = PARTS.map(({ name }) => name);
    expect(names).toEqual([...new Set(names)]);
  });

  test('have test files that exist, and that no other part has', () => {
    const files = PARTS.flatMap((part) => part.files);
    expect(files.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
    expect(files).toEqual([...new Set(files)]);
  });
});

interface Job {
  readonly name: string;
  readonly seconds: number;
  readonly alone?: string;
}

/** Runs the jobs. Each one ends when the jobs that run can make no other job start. */
async function trace(jobs: readonly Job[], lanes: number) {
  const events: string[] = [];
  const running: { readonly name: string; readonly end: () => void }[] = [];
  let most = 0;
  const all = runInLanes(
    jobs,
    lanes,
    ({ name }) =>
      new Promise<string>((resolve) => {
        events.push(`+${name}`);
        const end = () => {
          events.push(`-${name}`);
          resolve(name.toUpperCase());
        };
        running.push({ name, end });
        most = Math.max(most, running.length);
      }),
  );
  let results: string[] | undefined;
  const done = all.then((value) => {
    results = value;
  });
  while (results === undefined) {
    await new Promise(setImmediate);
    running.shift()?.end();
  }
  await done;
  return { events, results, most };
}

describe('jobs in lanes', () => {
  const jobs = [
    { name: 'a', seconds: 1 },
    { name: 'b', seconds: 3, alone: 'loads all cores' },
    { name: 'c', seconds: 9 },
    { name: 'd', seconds: 5 },
    { name: 'e', seconds: 2, alone: 'measures' },
  ];

  test('start with the longest, keep to the lanes, and give results in the order of the jobs', async () => {
    const { events, results, most } = await trace(jobs, 2);
    expect(events).toEqual(['+c', '+d', '-c', '+a', '-d', '-a', '+b', '-b', '+e', '-e']);
    expect(results).toEqual(['A', 'B', 'C', 'D', 'E']);
    expect(most).toBe(2);
  });

  test('run one after another in one lane', async () => {
    const { events } = await trace(jobs, 1);
    expect(events).toEqual(['+c', '-c', '+d', '-d', '+a', '-a', '+b', '-b', '+e', '-e']);
  });

  test('may be fewer than the lanes, or none', async () => {
    expect((await trace(jobs.slice(0, 1), 4)).results).toEqual(['A']);
    expect(await runInLanes([], 2, () => Promise.resolve(1))).toEqual([]);
  });

  test('fail with the error of a job', async () => {
    const fails = () => Promise.reject(new Error('no'));
    await expect(runInLanes(jobs, 2, fails)).rejects.toThrow('no');
  });
});
