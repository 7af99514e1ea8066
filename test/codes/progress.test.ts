/** How long a question about a job waits. */
import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { ProgressBoard } from '../../src/codes/progress.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

test('a question is answered without news, also when the collector runs meanwhile', async () => {
  const board = new ProgressBoard();
  const questions = Array.from({ length: 20 }, (_, key) =>
    board.next('someone', `key ${key}`, 0, new AbortController().signal),
  );
  for (let round = 0; round < 5; round += 1) {
    await pause(20);
    collectGarbage();
  }
  const answers = await Promise.all(questions);
  expect(new Set(answers.map(({ done }) => done))).toEqual(new Set([false]));
});

test('a question ends with whoever asks', async () => {
  const client = new AbortController();
  const asked = new ProgressBoard().next('someone', 'key', 0, client.signal);
  client.abort();
  expect(await asked).toMatchObject({ changes: 0, done: false });
});
