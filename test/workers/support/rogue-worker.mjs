/** A worker that misbehaves on request. */
import { spawn } from 'node:child_process';
import { native } from '../../../dist/native.js';

native.endWithParent();
native.limitMemory(Number(process.argv[2]));
const kept = [];
process.on('message', (job) => void run(job));
process.send({ kind: 'ready' });

async function run({ act, value }) {
  switch (act) {
    case 'echo':
      return process.send({ kind: 'done', output: { value, pid: process.pid } });
    case 'wait':
      return setTimeout(() => process.send({ kind: 'done', output: { value, pid: process.pid } }), value);
    case 'fail':
      return process.send({ kind: 'failed', message: value });
    case 'crash':
      return process.abort();
    case 'throw':
      throw new Error('not caught');
    case 'hang':
      for (;;);
    case 'child': {
      const child = spawn('sleep', ['60'], { stdio: 'ignore' });
      process.send({ kind: 'done', output: { value: child.pid, pid: process.pid } });
      return;
    }
    case 'keep': {
      kept.push(Buffer.alloc(value.bytes, 1));
      const answer = { kind: 'done', output: { value, pid: process.pid } };
      return setTimeout(() => process.send(answer), value.ms);
    }
    case 'spike':
      // The watcher does not see memory that is not used yet.
      for (;;) kept.push(Buffer.allocUnsafeSlow(256 * 1024 * 1024));
    case 'grow': {
      const hoard = [];
      for (;;) {
        hoard.push(Buffer.alloc(16 * 1024 * 1024, 1));
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    }
  }
}
