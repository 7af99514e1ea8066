/** A Redis server for tests, from Debian's package. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { freePorts } from './free-ports.js';
import { debianProgram } from './set-up.js';

const START_MS_MAX = 30_000;

export interface RedisServer {
  readonly url: string;
  /** Kills the server (SIGKILL) with all its data; {@link start} starts it again. */
  kill(): Promise<void>;
  /** Stops the process without ending it (SIGSTOP), so that commands are not answered, and continues it. */
  freeze(): void;
  thaw(): void;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * @param password of the default user
 * @param more settings, as arguments
 */
export async function startRedis(password?: string, more: readonly string[] = []): Promise<RedisServer> {
  const program = debianProgram(['redis-server', 'valkey-server'], 'redis-server');
  const folder = await mkdtemp(path.join(os.tmpdir(), 'isccd-redis-'));
  const [port] = await freePorts(1);
  const address = `127.0.0.1:${port}`;
  const url = password === undefined ? `redis://${address}` : `redis://:${password}@${address}`;
  const settings = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', folder];
  const secret = password === undefined ? [] : ['--requirepass', password];
  const launch = async () => {
    const launched = spawn(program, [...settings, ...secret, ...more], { stdio: 'ignore' });
    await whenReady(url);
    return launched;
  };
  let child = await launch();
  return {
    url,
    kill: () => ended(child),
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
    async start() {
      child = await launch();
    },
    async stop() {
      await ended(child);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function whenReady(url: string): Promise<void> {
  const deadline = Date.now() + START_MS_MAX;
  for (;;) {
    const redis = new Redis(url, { lazyConnect: true, retryStrategy: () => null });
    redis.on('error', () => {});
    try {
      await redis.connect();
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await pause(50);
    } finally {
      redis.disconnect();
    }
  }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}
