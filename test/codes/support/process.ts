/** The codes service as a user starts it: a process of its own, with the built program. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const MAIN = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url));

export interface CodesProcess {
  readonly url: string;
  readonly pid: number;
  /** What it has printed. */
  output(): string;
  /** With SIGKILL. */
  kill(): Promise<void>;
}

/** Starts it on a free port, its files in `folder`; it ends with the test. */
export async function serveCodes(folder: string, env: Record<string, string> = {}): Promise<CodesProcess> {
  const child = spawn(process.execPath, [MAIN, 'serve', 'codes'], {
    cwd: folder,
    env: {
      ...process.env,
      CODEWEB_PORT: '0',
      CODEWEB_MEDIA_PATH: path.join(folder, 'media'),
      CODEWEB_LOG_LEVEL: 'info',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const kill = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  };
  onTestFinished(kill);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += data));
  for (;;) {
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0];
    if (url !== undefined) return { url, pid: child.pid as number, output: () => output, kill };
    if (child.exitCode !== null) throw new Error(output);
    await pause(20);
  }
}
