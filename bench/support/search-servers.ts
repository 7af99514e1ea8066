/** The servers that the search benchmark compares: isccd and iscc-search (PyPI). */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import net from 'node:net';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';

const PEER = 'iscc-search==0.3.3';
const START_MS = 120_000;
const run = promisify(execFile);
export const root = path.resolve(import.meta.dirname, '../..');

export interface Server {
  readonly url: string;
  readonly port: number;
  readonly child: ChildProcess;
}

export type Start = (folder: string) => Promise<Server>;

export async function startOurs(folder: string): Promise<Server> {
  const port = await freePort();
  const main = path.join(root, 'dist', 'cli', 'main.js');
  return started(port, process.execPath, [main, 'serve', 'search'], {
    INDEXSVC_INDEX_URI: `usearch://${folder}`,
    INDEXSVC_PORT: String(port),
    INDEXSVC_LOG_LEVEL: 'warn',
  });
}

export async function startPeer(folder: string): Promise<Server> {
  const command = await peerProgram('iscc-search', PEER);
  const port = await freePort();
  return started(port, command, ['serve', '--host', '127.0.0.1', '--port', String(port)], {
    ISCC_SEARCH_INDEX_URI: `usearch://${folder}`,
    ISCC_SEARCH_LOG_LEVEL: 'warning',
  });
}

/** Kills a server with SIGKILL, unless it has exited. */
export async function kill({ child }: Server): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

/** Resident memory in bytes: total, and without file pages, which the system can reclaim. */
export async function memory({ child }: Server): Promise<{ all: number; own: number }> {
  const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
  const bytes = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) * 1024;
  return { all: bytes('VmRSS'), own: bytes('RssAnon') };
}

/** CPU time of a server in seconds. */
export async function cpuSeconds({ child }: Server): Promise<number> {
  return statSeconds(await readFile(`/proc/${child.pid}/stat`, 'latin1'));
}

/** CPU time of a server in seconds by name of thread, most first. Threads that ended are not counted. */
export async function threadSeconds({ child }: Server): Promise<(readonly [string, number])[]> {
  const folder = `/proc/${child.pid}/task`;
  const seconds = new Map<string, number>();
  for (const thread of await readdir(folder)) {
    const stat = await readFile(path.join(folder, thread, 'stat'), 'latin1');
    const name = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
    const shown = Number(thread) === child.pid ? 'main thread' : name.replace(/\W*\d+$/, '');
    seconds.set(shown, (seconds.get(shown) ?? 0) + statSeconds(stat));
  }
  return [...seconds].sort(([, a], [, b]) => b - a);
}

/** User and system time in a `stat` file of /proc. */
function statSeconds(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** Path of a program of a Python package, in a virtual environment that is created on first use. */
export async function peerProgram(program: string, ...packages: string[]): Promise<string> {
  const venv = path.join(root, 'bench', '.peers', packages.join(' ').replace(/[^\w.]+/g, '-'));
  const bin = path.join(process.env.ISCCD_BENCH_VENV ?? venv, 'bin');
  if (!existsSync(path.join(bin, program))) {
    try {
      await run('python3', ['-m', 'venv', venv]);
      await run(path.join(venv, 'bin', 'python'), ['-m', 'pip', 'install', '--quiet', ...packages]);
    } catch (error) {
      await rm(venv, { recursive: true, force: true });
      throw error;
    }
  }
  return path.join(bin, program);
}

export async function started(
  port: number,
  command: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<Server> {
  const env = { ...process.env, ...environment };
  const child = spawn(command, args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const server = { url: `http://127.0.0.1:${port}`, port, child };
  const end = performance.now() + START_MS;
  while (performance.now() < end) {
    if (child.exitCode !== null) throw new Error(`${command} exited with ${child.exitCode}`);
    const response = await fetch(`${server.url}/readyz`).catch(() => undefined);
    await response?.arrayBuffer();
    if (response?.status === 200) return server;
    await pause(5);
  }
  throw new Error(`${command} did not start`);
}

export async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as net.AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
