/** The store in a process of its own, as a user starts it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type Place, type StoreClient, storeClient, storeEnvironment } from './server.js';

const MAIN = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url));
const STOP_MS = 20_000;

export interface StoreProcess extends StoreClient {
  /** Ends it without a word. */
  kill(): Promise<void>;
}

/** Starts the service; rejects with what it said if it ends before it listens. */
export async function startStoreProcess(
  place: Place,
  environment: Readonly<Record<string, string>> = {},
): Promise<StoreProcess> {
  const child = spawn(process.execPath, [MAIN, 'serve', 'store'], {
    env: { ...process.env, ...storeEnvironment(place), MSTORE_LOG_LEVEL: 'warn', ...environment },
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
  const client = storeClient({ url, port: Number(new URL(url).port), stop: () => end('SIGTERM') });
  return { ...client, kill: () => end('SIGKILL') };
}
