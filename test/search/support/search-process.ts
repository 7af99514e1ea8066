/** The search service in a process of its own, as a user starts it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url));
const STOP_MS = 20_000;

export interface SearchProcess {
  readonly url: string;
  readonly pid: number;
  /** Ends it without a word. */
  kill(): Promise<void>;
  /** Asks it to end, and waits until it has. */
  stop(): Promise<void>;
}

/** Starts the service; rejects with what it said if it ends before it listens. */
export async function startProcess(
  location: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<SearchProcess> {
  const child = spawn(process.execPath, [MAIN, 'serve', 'search'], {
    env: {
      ...process.env,
      INDEXSVC_INDEX_URI: location,
      INDEXSVC_PORT: '0',
      INDEXSVC_LOG_LEVEL: 'info',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit', { signal: AbortSignal.timeout(STOP_MS) });
    child.kill(signal);
    await ended;
  };
  let output = '';
  const url = await new Promise<string>((resolve, reject) => {
    const read = (data: Buffer) => {
      output += data.toString();
      const found = /http:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0];
      if (found !== undefined) resolve(found);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('error', reject);
    child.once('exit', () => reject(new Error(output)));
  });
  return { url, pid: child.pid ?? 0, kill: () => end('SIGKILL'), stop: () => end('SIGTERM') };
}
