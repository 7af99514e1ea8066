/** Places for jobs. */
import { expect, test } from 'vitest';
import { Unavailable } from '../../src/services/codes/errors.js';
import { JobBoard } from '../../src/services/codes/jobs/job-board.js';
import type { MediaId } from '../../src/services/codes/uploads/media-id.js';

const PLACES = 1000;

test(`at most ${PLACES} jobs receive their file or run`, async () => {
  const board = new JobBoard();
  const places = Array.from({ length: PLACES }, (_, at) => board.reserve(`client ${at % 3}`));
  expect(() => board.reserve('another')).toThrow(Unavailable);
  // An upload that failed.
  places[0]?.release();
  places[0]?.release();
  const again = board.reserve('another');
  expect(() => board.reserve('another')).toThrow(Unavailable);
  // A job that ended.
  await board.start(again, 'uploader', async () => '06h0rib7r8uoo' as MediaId);
  await expect.poll(() => board.reserve('another')).toBeDefined();
  await board.close();
});

test('one client leaves a quarter of the places to others', () => {
  const board = new JobBoard();
  const places = Array.from({ length: (PLACES * 3) / 4 }, () => board.reserve('greedy'));
  expect(() => board.reserve('greedy')).toThrow(Unavailable);
  expect(board.reserve('another')).toBeDefined();
  places[0]?.release();
  places[0]?.release();
  expect(board.reserve('greedy')).toBeDefined();
  expect(() => board.reserve('greedy')).toThrow(Unavailable);
});
