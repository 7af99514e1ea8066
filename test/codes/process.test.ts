/** External programs and their limits. */
import { existsSync } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { collector, runTool, ToolFailed, ToolMissing } from '../../src/services/codes/tools/process.js';

const LIMITS = { durationMaxMs: 10_000, memoryMaxBytes: 1024 ** 3, fileMaxBytes: 1024 ** 2 };
const ignore = () => undefined;
const shell = (script: string) => ['/bin/sh', ['-c', script]] as const;

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'isccd-process-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Programs that a host keeps loaded behave like others. */
const WAYS = [
  ['started for each run', {}],
  ['kept loaded', { staysLoaded: true }],
] as const;

describe.skipIf(process.platform === 'win32').each(WAYS)('runTool: programs %s', (_, way) => {
  it('passes on all output and resolves when the program ends', async () => {
    const output = collector(100);
    await runTool(...shell('printf one; printf two'), output.sink, { ...way, limits: LIMITS });
    expect(output.bytes().toString()).toBe('onetwo');
  });

  it('passes on no environment variable but PATH and LC_ALL', async () => {
    process.env.ISCCD_TEST_SECRET = 'hidden';
    const output = collector(10_000);
    await runTool('env', [], output.sink, { ...way, limits: LIMITS });
    delete process.env.ISCCD_TEST_SECRET;
    expect(output.bytes().toString()).not.toContain('hidden');
    expect(output.bytes().toString()).toContain('PATH=');
  });

  it('distinguishes a missing program from a failing one', async () => {
    await expect(runTool('/nowhere/tool', [], ignore, { ...way, limits: LIMITS })).rejects.toThrow(
      ToolMissing,
    );
    await expect(runTool('no-such-program-here', [], ignore, { ...way, limits: LIMITS })).rejects.toThrow(
      ToolMissing,
    );
    const failing = runTool(...shell('echo why >&2; exit 3'), ignore, { ...way, limits: LIMITS });
    await expect(failing).rejects.toThrow(/ended with 3: why/);
  });

  it('does not expand arguments in a shell', async () => {
    const output = collector(1000);
    await runTool('printf', ['%s|', '$(echo no)', '`id`', ';', "'", '"', '-n'], output.sink, {
      ...way,
      limits: LIMITS,
    });
    expect(output.bytes().toString()).toBe(`$(echo no)|\`id\`|;|'|"|-n|`);
  });

  it('drains standard error and keeps its end', async () => {
    const noisy = shell(
      'i=0; while [ $i -lt 20000 ]; do echo "line $i of many lines" >&2; i=$((i+1)); done; exit 1',
    );
    const error = await runTool(...noisy, ignore, { ...way, limits: LIMITS }).catch((error: Error) => error);
    expect(error).toBeInstanceOf(ToolFailed);
    expect((error as Error).message).toContain('line 19999');
    expect((error as Error).message.length).toBeLessThan(5000);
  });

  it.each([
    ['time', { ...LIMITS, durationMaxMs: 200 }, 'sleep 20; true'],
    [
      'memory',
      { ...LIMITS, memoryMaxBytes: 256 * 1024 ** 2 },
      'head -c 1000000000 /dev/zero | tail -c 999999999',
    ],
  ])('kills a program that exceeds its %s limit', async (_, limits, script) => {
    const start = performance.now();
    await expect(runTool(...shell(script), ignore, { ...way, limits })).rejects.toThrow(ToolFailed);
    expect(performance.now() - start).toBeLessThan(9000);
  });

  it.each([
    ['exit 3', 'FILE_DAMAGED'],
    ['kill -SEGV $$', 'FILE_CRASHES_DECODER'],
    ['kill -FPE $$', 'FILE_CRASHES_DECODER'],
    ['kill -XCPU $$', 'FILE_TOO_SLOW'],
  ])('says how a program ended: %s', async (script, code) => {
    const failing = runTool(...shell(script), ignore, { ...way, limits: LIMITS });
    await expect(failing).rejects.toMatchObject({ code });
  });

  it('kills a program that writes too much', async () => {
    const output = collector(1000);
    await expect(runTool('yes', [], output.sink, { ...way, limits: LIMITS })).rejects.toThrow(
      /more than 1000 bytes/,
    );
    const large = runTool('dd', ['if=/dev/zero', 'of=large', 'bs=65536', 'count=100'], ignore, {
      ...way,
      limits: LIMITS,
      cwd: folder,
    });
    await expect(large).rejects.toThrow(ToolFailed);
    expect((await stat(path.join(folder, 'large'))).size).toBeLessThanOrEqual(LIMITS.fileMaxBytes);
  });

  it.skipIf(!existsSync('/proc'))('kills the program when the signal is aborted', async () => {
    const abort = new AbortController();
    let pid = '';
    const running = runTool(
      ...shell('echo $$; exec sleep 60'),
      (chunk) => {
        pid = chunk.toString().trim();
        abort.abort(new Error('cancelled'));
      },
      { ...way, limits: LIMITS, signal: abort.signal },
    );
    await expect(running).rejects.toThrow('cancelled');
    expect(existsSync(`/proc/${pid}`)).toBe(false);
    await expect(
      runTool('true', [], ignore, { ...way, limits: LIMITS, signal: abort.signal }),
    ).rejects.toThrow('cancelled');
  });

  it('waits for a slow reader', async () => {
    let size = 0;
    const slowly = async (chunk: Buffer) => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      size += chunk.length;
    };
    await runTool('head', ['-c', '1000000', '/dev/zero'], slowly, { ...way, limits: LIMITS });
    expect(size).toBe(1_000_000);
  });
});
