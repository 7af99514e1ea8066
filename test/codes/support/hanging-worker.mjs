/** A worker that never ends reading metadata, and refuses all other jobs at once. */
import { native } from '../../../dist/native.js';

native.endWithParent();
process.on('message', ({ kind }) => {
  while (kind === 'extract');
  process.send({ kind: 'failed', message: 'not in these tests' });
});
process.send({ kind: 'ready' });
