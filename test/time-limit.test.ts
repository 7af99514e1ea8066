/** Time limits of work that takes an abort signal. */
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { withTimeLimit } from '../src/platform/time-limit.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Ends only with the signal. */
async function endless(signal: AbortSignal): Promise<never> {
  await once(signal, 'abort');
  throw signal.reason;
}

test('the time ends the work, also if garbage is collected meanwhile', async () => {
  const works = Array.from({ length: 20 }, () => withTimeLimit(100, new AbortController().signal, endless));
  const ended = Promise.allSettled(works);
  for (let round = 0; round < 5; round += 1) {
    await pause(10);
    collectGarbage();
  }
  for (const work of await ended)
    expect(work).toMatchObject({ status: 'rejected', reason: { name: 'TimeoutError' } });
});

test('the signal ends the work with its reason, before and after the start', async () => {
  const reason = new Error('closing');
  const ended = AbortSignal.abort(reason);
  const check = async (signal: AbortSignal) => signal.throwIfAborted();
  await expect(withTimeLimit(60_000, ended, check)).rejects.toBe(reason);
  const later = new AbortController();
  const work = withTimeLimit(60_000, later.signal, endless);
  later.abort(reason);
  await expect(work).rejects.toBe(reason);
});

test('the result is that of the work', async () => {
  expect(await withTimeLimit(60_000, undefined, async () => 7)).toBe(7);
});
