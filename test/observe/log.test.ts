/** No log line is lost or out of order, at any rate and however the process ends. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { runOnTerminal } from '../../scripts/terminal.mjs';
import { LineBuffer } from '../../src/platform/observe/line-buffer.js';

const LOG = new URL('../../dist/platform/observe/log.js', import.meta.url).href;

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
      const { createLogger, fixedLines } = await import(${JSON.stringify(LOG)});
      const log = createLogger('info');
      const write = fixedLines(log, 'info', 'request');
      for (let i = 0; i < 5000; i += 1) i % 10 === 0 ? log.info({ i }, 'other') : write('"i":' + i);
      ${end};`;
    const args = ['--input-type=module', '-e', script];
    const run = promisify(execFile)(process.execPath, args).catch((error) => error);
    const { stderr } = (await run) as { stderr: string };
    const seen = stderr.split('\n').filter((text) => text.startsWith('{'));
    expect(seen.map((text) => JSON.parse(text).i)).toEqual(Array.from({ length: 5000 }, (_, i) => i));
  }
});

const UNSAFE = 'a\\u001b[31m\\u009b2J\\nb';

/** What a program logs on a terminal. */
async function onTerminal(level: string, env: Readonly<Record<string, string>>): Promise<string> {
  const script = `
    const { createLogger, fixedLines } = await import(${JSON.stringify(LOG)});
    const log = createLogger(${JSON.stringify(level)});
    log.info({ service: 'codes' }, 'starts');
    fixedLines(log, 'info', 'request')('"path":"/a"');
    fixedLines(log, 'debug', 'request')?.('"path":"/style.css"');
    log.warn('${UNSAFE}');
    log.error({ err: new Error('outer', { cause: new TypeError('inner') }), file: '${UNSAFE}' }, 'fails');
    process.exit();`;
  const { CI: _, NO_COLOR: __, FORCE_COLOR: ___, ...rest } = process.env;
  const words = [process.execPath, '--input-type=module', '-e', script];
  const { code, output } = await runOnTerminal(words, { env: { ...rest, TERM: 'xterm-256color', ...env } });
  expect(code).toBe(0);
  return output;
}

const TIME = /^\[\d\d:\d\d:\d\d\.\d{3}\] /gm;

test.runIf(process.platform === 'linux')('on a terminal, each line is one line of text', async () => {
  const output = await onTerminal('info', { NO_COLOR: '1' });
  expect(output.replace(TIME, '').split('\n')).toEqual([
    'INFO: starts {"service":"codes"}',
    'INFO: request {"path":"/a"}',
    'WARN: a\\u001b[31m\\u009b2J\\nb',
    'ERROR: fails {"err":"Error: outer: TypeError: inner","file":"a\\u001b[31m\\u009b2J\\nb"}',
    '',
  ]);
});

test.runIf(process.platform === 'linux')('a terminal gets colours if it has and wants them', async () => {
  expect(await onTerminal('info', {})).toContain('\u001b[32mINFO');
  expect(await onTerminal('info', { TERM: 'dumb' })).not.toContain('\u001b');
  expect(await onTerminal('info', { NO_COLOR: '1', FORCE_COLOR: '1' })).not.toContain('\u001b');
});

test.runIf(process.platform === 'linux')(
  'stacks and requests of assets are logged for debugging',
  async () => {
    const output = await onTerminal('debug', {});
    expect(output).toContain('/style.css');
    expect(output).toContain('stack');
  },
);
