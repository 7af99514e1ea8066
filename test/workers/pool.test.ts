import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test, vi } from 'vitest';
import { addonFile } from '../../src/native.js';
import { PoolBusy, WorkerPool } from '../../src/platform/workers/pool.js';
import { JobFailed, type PoolLimits, WorkerLost } from '../../src/platform/workers/worker-process.js';

interface RogueJob {
  readonly act: string;
  readonly value?: unknown;
}
interface RogueOutput {
  readonly value: unknown;
  readonly pid: number;
}

const entry = fileURLToPath(new URL('./support/rogue-worker.mjs', import.meta.url));

function pool(limits: Partial<PoolLimits> = {}, script = entry): WorkerPool<RogueJob, RogueOutput> {
  const all: PoolLimits = {
    workersMax: 2,
    queuedJobsMax: 4,
    jobDurationMaxMs: 60_000,
    workerRssMaxBytes: 1024 ** 3,
    poolRssMaxBytes: 4 * 1024 ** 3,
    restingRssMaxBytes: 512 * 1024 ** 2,
    jobsPerWorkerMax: 1000,
    ...limits,
  };
  const rules = () => ({ read: [], open: [], write: [] });
  const created = new WorkerPool<RogueJob, RogueOutput>(script, all, { addon: addonFile, rules });
  onTestFinished(() => created.close());
  return created;
}

test('runs all jobs with at most the allowed number of workers', async () => {
  const workers = pool();
  const answers = await Promise.all([1, 2, 3, 4, 5, 6].map((value) => workers.run({ act: 'echo', value })));
  expect(answers.map(({ value }) => value)).toEqual([1, 2, 3, 4, 5, 6]);
  expect(new Set(answers.map(({ pid }) => pid)).size).toBeLessThanOrEqual(2);
});

test('transfers buffers and typed arrays unchanged', async () => {
  const value = { bytes: new Uint8Array([1, 2, 255]), list: [1.5, 'ü', null], none: undefined };
  expect((await pool().run({ act: 'echo', value })).value).toEqual(value);
});

test('a failed job rejects with its message, and its worker continues', async () => {
  const workers = pool({ workersMax: 1 });
  const { pid } = await workers.run({ act: 'echo' });
  const failure = workers.run({ act: 'fail', value: 'truncated' });
  await expect(failure).rejects.toThrow(JobFailed);
  await expect(failure).rejects.toThrow('truncated');
  expect((await workers.run({ act: 'echo' })).pid).toBe(pid);
});

test.each([
  ['crash', 'crashed', {}],
  ['throw', 'crashed', {}],
  ['hang', 'took too long', { jobDurationMaxMs: 4_000 }],
  ['grow', 'needed too much memory', { workerRssMaxBytes: 200 * 1024 ** 2 }],
  ['spike', 'needed too much memory', { jobDurationMaxMs: 10_000 }],
])('%s fails only that job: the worker %s', async (act, reason, limits) => {
  const workers = pool({ workersMax: 1, ...limits });
  const lost = workers.run({ act });
  const waiting = workers.run({ act: 'echo', value: 'next' });
  await expect(lost).rejects.toThrow(WorkerLost);
  await expect(lost).rejects.toMatchObject({ reason, started: true });
  expect((await waiting).value).toBe('next');
  expect((await workers.run({ act: 'echo', value: 'after' })).value).toBe('after');
});

test('rejects jobs when the queue is full', async () => {
  const workers = pool({ workersMax: 1, queuedJobsMax: 2 });
  const accepted = [1, 2, 3].map((value) => workers.run({ act: 'echo', value }));
  expect(workers.queued).toBe(2);
  await expect(workers.run({ act: 'echo' })).rejects.toThrow(PoolBusy);
  expect((await Promise.all(accepted)).map(({ value }) => value)).toEqual([1, 2, 3]);
  expect((await workers.run({ act: 'echo', value: 4 })).value).toBe(4);
});

test('a client does not wait for one that occupies all workers', async () => {
  const workers = pool();
  const stop = new AbortController();
  const slow = [1, 2, 3].map(() => workers.run({ act: 'hang' }, { client: 'slow', signal: stop.signal }));
  expect([workers.running, workers.queued]).toEqual([2, 1]);
  const answers = await Promise.all(
    ['one', 'two'].map((client) => workers.run({ act: 'echo', value: client }, { client })),
  );
  expect(answers.map(({ value }) => value)).toEqual(['one', 'two']);
  // The additional worker is gone, and the slow client still has its two.
  expect([workers.running, workers.queued]).toEqual([2, 1]);
  const stopped = Promise.all(slow.map((job) => expect(job).rejects.toThrow('enough')));
  stop.abort(new Error('enough'));
  await stopped;
  expect((await workers.run({ act: 'echo', value: 'after' })).value).toBe('after');
});

test('ends the largest worker when all together need too much memory', async () => {
  const workers = pool({ poolRssMaxBytes: 400 * 1024 ** 2 });
  const small = workers.run({ act: 'keep', value: { bytes: 1024, ms: 3000 } });
  const large = workers.run({ act: 'grow' });
  await expect(large).rejects.toMatchObject({ reason: 'memory is short' });
  await small;
});

test('an aborted job is removed from the queue, or its worker is killed', async () => {
  const workers = pool({ workersMax: 1 });
  const running = new AbortController();
  const queued = new AbortController();
  const first = workers.run({ act: 'hang' }, running);
  const second = workers.run({ act: 'crash' }, queued);
  queued.abort(new Error('first abort'));
  await expect(second).rejects.toThrow('first abort');
  expect(workers.queued).toBe(0);
  running.abort(new Error('second abort'));
  await expect(first).rejects.toThrow('second abort');
  expect((await workers.run({ act: 'echo', value: 1 })).value).toBe(1);
  const never = { signal: AbortSignal.abort(new Error('before')) };
  await expect(workers.run({ act: 'crash' }, never)).rejects.toThrow('before');
});

test('replaces a worker after the maximum number of jobs', async () => {
  const workers = pool({ workersMax: 1, jobsPerWorkerMax: 2 });
  const pids: number[] = [];
  for (let count = 0; count < 6; count += 1) pids.push((await workers.run({ act: 'echo' })).pid);
  expect(new Set(pids).size).toBe(3);
});

test('kills programs started by a worker together with it', async () => {
  const workers = pool({ workersMax: 1, jobDurationMaxMs: 4_000 });
  const { value } = await workers.run({ act: 'child' });
  expect(alive(value as number)).toBe(true);
  await expect(workers.run({ act: 'hang' })).rejects.toThrow(WorkerLost);
  await vi.waitFor(() => expect(alive(value as number)).toBe(false), 10_000);
});

test.each([
  ['long', 400],
  ['short', 0],
])('replaces a worker that keeps too much memory after a %s job', async (_, ms) => {
  const workers = pool({ workersMax: 1, restingRssMaxBytes: 250 * 1024 ** 2 });
  const small = await workers.run({ act: 'keep', value: { bytes: 1024, ms } });
  expect((await workers.run({ act: 'echo' })).pid).toBe(small.pid);
  const large = await workers.run({ act: 'keep', value: { bytes: 300 * 1024 ** 2, ms } });
  expect(large.pid).toBe(small.pid);
  await vi.waitFor(() => expect(alive(large.pid)).toBe(false), 20_000);
  expect((await workers.run({ act: 'echo' })).pid).not.toBe(large.pid);
});

test.skipIf(process.platform === 'win32')(
  'a busy worker and its programs end when the parent process ends',
  async () => {
    const doomed = fileURLToPath(new URL('./support/doomed-parent.mjs', import.meta.url));
    const parent = spawn(process.execPath, [doomed], { stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void parent.kill('SIGKILL'));
    const [line] = (await once(parent.stdout, 'data')) as [Buffer];
    const { worker, program } = JSON.parse(line.toString()) as { worker: number; program: number };
    // By then the worker is busy and reads no more messages.
    await pause(300);
    expect([alive(worker), alive(program)]).toEqual([true, true]);
    parent.kill('SIGKILL');
    await vi.waitFor(() => expect([alive(worker), alive(program)]).toEqual([false, false]), 20_000);
  },
);

test('marks a worker that never becomes ready as not started', async () => {
  const workers = pool({}, fileURLToPath(new URL('./support/never-ready-worker.mjs', import.meta.url)));
  await expect(workers.warm()).rejects.toThrow('before it could start');
  await expect(workers.run({ act: 'echo' })).rejects.toMatchObject({ started: false });
});

test.skipIf(process.platform === 'win32')('repeats a repeatable job once after a crash', async () => {
  const workers = pool({ workersMax: 1 });
  const { pid } = await workers.run({ act: 'echo' });
  const running = workers.run({ act: 'wait', value: 1000 }, { repeatable: true });
  await pause(200);
  process.kill(pid, 'SIGKILL');
  expect((await running).pid).not.toBe(pid);

  const twice = workers.run({ act: 'crash' }, { repeatable: true });
  await expect(twice).rejects.toMatchObject({ reason: 'crashed', crashedInJob: true });
});

test.skipIf(process.platform === 'win32')('gives an idle worker that was killed no job', async () => {
  const workers = pool({ workersMax: 1 });
  for (let round = 0; round < 10; round += 1) {
    const { pid } = await workers.run({ act: 'echo' });
    process.kill(pid, 'SIGKILL');
    expect((await workers.run({ act: 'echo', value: round }, { repeatable: true })).value).toBe(round);
  }
});

test('does not repeat a job that hit its limits', async () => {
  const workers = pool({ workersMax: 1, jobDurationMaxMs: 2000 });
  const start = performance.now();
  await expect(workers.run({ act: 'hang' }, { repeatable: true })).rejects.toMatchObject({
    reason: 'took too long',
  });
  expect(performance.now() - start).toBeLessThan(4000);
});

test('closing kills the workers and rejects queued jobs', async () => {
  const workers = pool({ workersMax: 1 });
  const { pid } = await workers.run({ act: 'echo' });
  const running = workers.run({ act: 'wait', value: 5000 });
  const waiting = workers.run({ act: 'echo' });
  running.catch(() => undefined);
  waiting.catch(() => undefined);
  await pause(20);
  await workers.close();
  await expect(running).rejects.toThrow(WorkerLost);
  await expect(waiting).rejects.toThrow(PoolBusy);
  expect(alive(pid)).toBe(false);
  await expect(workers.run({ act: 'echo' })).rejects.toThrow(PoolBusy);
});

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
