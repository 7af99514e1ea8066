/** Timeouts of progress polls. */
import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { ProgressBoard } from '../../src/services/codes/jobs/progress.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

test('a poll times out without a change, also if garbage is collected meanwhile', async () => {
  const board = new ProgressBoard();
  const polls = Array.from({ length: 20 }, (_, key) =>
    board.next('client', `key ${key}`, 0, new AbortController().signal),
  );
  for (let round = 0; round < 5; round += 1) {
    await pause(20);
    collectGarbage();
  }
  const answers = await Promise.all(polls);
  expect(new Set(answers.map(({ done }) => done))).toEqual(new Set([false]));
});

test('a poll ends when the client disconnects', async () => {
  const client = new AbortController();
  const poll = new ProgressBoard().next('client', 'key', 0, client.signal);
  client.abort();
  expect(await poll).toMatchObject({ changes: 0, done: false });
});
