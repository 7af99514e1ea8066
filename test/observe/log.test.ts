/** No log line is lost or out of order, at any rate and however the process ends. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { LineBuffer } from '../../src/observe/line-buffer.js';

const LOG = new URL('../../dist/observe/log.js', import.meta.url).href;

class Blocks {
  readonly blocks: string[] = [];
  last: string | undefined;

  write(block: string): void {
    this.blocks.push(block);
  }

  flushSync(block: string): void {
    this.last = block;
  }
}

test('writes lines in blocks, in order, after at most 100 ms', async () => {
  const writer = new Blocks();
  const lines = new LineBuffer(writer);
  const line = `${'x'.repeat(99)}\n`;
  for (let i = 0; i < 1000; i += 1) lines.write(line);
  expect(writer.blocks.length).toBe(1);
  lines.write('last\n');
  await expect.poll(() => writer.blocks.join('')).toBe(`${line.repeat(1000)}last\n`);
  expect(writer.blocks.length).toBe(2);
});

test('flushes pending lines before the process ends', () => {
  const writer = new Blocks();
  const lines = new LineBuffer(writer);
  lines.write('a\n');
  lines.flushSync();
  expect(writer).toEqual({ blocks: [], last: 'a\n' });
});

test('writes all lines if the process exits or throws', async () => {
  for (const end of ['process.exit(0)', 'throw new Error("the end")']) {
    const script = `
      const { createLogger, infoLines } = await import(${JSON.stringify(LOG)});
      const log = createLogger('info');
      const write = infoLines(log, 'request');
      for (let i = 0; i < 5000; i += 1) i % 10 === 0 ? log.info({ i }, 'other') : write('"i":' + i);
      ${end};`;
    const args = ['--input-type=module', '-e', script];
    const run = promisify(execFile)(process.execPath, args).catch((error) => error);
    const { stderr } = (await run) as { stderr: string };
    const seen = stderr.split('\n').filter((text) => text.startsWith('{'));
    expect(seen.map((text) => JSON.parse(text).i)).toEqual(Array.from({ length: 5000 }, (_, i) => i));
  }
});
