/** Programs that a host keeps loaded: `crates/tool-host`. The same limits as for other programs: process.test.ts. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { collector, runTool } from '../../src/services/codes/tools/process.js';

const limits = { durationMaxMs: 10_000, memoryMaxBytes: 1024 ** 3, fileMaxBytes: 1024 ** 2 };

async function output(executable: string, args: readonly string[], all = limits): Promise<string> {
  const { sink, bytes } = collector(1024 ** 2);
  await runTool(executable, args, sink, { staysLoaded: true, limits: all });
  return bytes().toString();
}

const shell = (script: string, all = limits) => output('/bin/sh', ['-c', script], all);
/** The process that forked the program. */
const hostOf = async () => Number(await shell('echo $PPID'));

describe.runIf(process.platform === 'linux')('a host', () => {
  it('forks the loaded program for each run', async () => {
    const host = await hostOf();
    expect(host).not.toBe(process.pid);
    expect(await hostOf()).toBe(host);
    expect(await output('printf', ['%s', 'other'])).toBe('other');
  });

  it('survives the crash of a run, which fails alone', async () => {
    const host = await hostOf();
    const runs = await Promise.allSettled([
      shell('kill -SEGV $$'),
      shell('sleep 0.2; echo fine'),
      shell('exit 7'),
    ]);
    const ends = runs.map((run) => (run.status === 'fulfilled' ? run.value : String(run.reason)));
    expect(ends).toEqual([
      expect.stringContaining('ended with SIGSEGV'),
      'fine\n',
      expect.stringContaining('ended with 7'),
    ]);
    expect(await hostOf()).toBe(host);
  });

  it('sets the limits of each run by itself', async () => {
    const limitsOf = 'ulimit -v; ulimit -t; ulimit -f';
    expect(await shell(limitsOf)).toBe('1048576\n11\n2048\n');
    const larger = { durationMaxMs: 20_000, memoryMaxBytes: 2 * 1024 ** 3, fileMaxBytes: 4 * 1024 ** 2 };
    expect(await shell(limitsOf, larger)).toBe('2097152\n21\n8192\n');
  });

  it('leaves no library and no open file to the program', async () => {
    expect(await shell('echo "$LD_PRELOAD"')).toBe('\n');
    const plain = collector(1000);
    const list = ['-c', 'ls /proc/self/fd'];
    await runTool('/bin/sh', list, plain.sink, { limits });
    const open = (listing: string) => listing.trim().split('\n');
    // Another thread of this process may have opened a file for a moment, which the plain start inherits.
    expect(open(plain.bytes().toString())).toEqual(
      expect.arrayContaining(open(await output('/bin/sh', list))),
    );
  });

  it('is replaced after its death', async () => {
    const host = await hostOf();
    const running = shell('exec sleep 60');
    await new Promise((resolve) => setTimeout(resolve, 100));
    process.kill(host, 'SIGKILL');
    await expect(running).rejects.toThrow('ended with');
    const next = await hostOf();
    expect(next).not.toBe(host);
    expect(await hostOf()).toBe(next);
    // No zombie stays.
    await expect.poll(() => existsSync(`/proc/${host}`), { timeout: 10_000 }).toBe(false);
  });

  it('runs scripts through their interpreter', async () => {
    const script = new URL('../support/echo-arguments.sh', import.meta.url).pathname;
    expect(await output(script, ['a b', 'c'])).toBe('a b|c|');
  });

  it.runIf(existsSync('/sbin/ldconfig'))(
    'leaves programs without shared libraries to a plain start',
    async () => {
      expect(await output('/sbin/ldconfig', ['--version'])).toBe(
        execFileSync('/sbin/ldconfig', ['--version'], { encoding: 'utf8' }),
      );
    },
  );
});
