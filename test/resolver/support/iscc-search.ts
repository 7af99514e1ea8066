/** iscc-search 0.3.3 from PyPI, installed once into its own virtual environment and started as a server. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import net, { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

const REQUIREMENT = 'iscc-search==0.3.3';
const START_MS_MAX = 120_000;

export interface Peer {
  readonly url: string;
  stop(): Promise<void>;
}

export async function isccSearch(folder: string, apiSecret: string): Promise<Peer> {
  const venv = await installed();
  const port = await freePort();
  const child = spawn(
    path.join(venv, 'bin/python'),
    ['-m', 'uvicorn', 'iscc_search.server:app', '--host', '127.0.0.1', '--port', String(port)],
    {
      cwd: folder,
      env: {
        ...process.env,
        ISCC_SEARCH_INDEX_URI: `usearch://${path.join(folder, 'index')}`,
        ISCC_SEARCH_API_SECRET: apiSecret,
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  const url = `http://127.0.0.1:${port}`;
  await ready(url, child);
  return { url, stop: () => stopped(child) };
}

async function installed(): Promise<string> {
  const venv = path.join(tmpdir(), 'isccd-peers', REQUIREMENT);
  if (existsSync(venv)) return venv;
  // Installed under a temporary name and renamed, so that an interrupted installation is not reused.
  const unfinished = `${venv}.${process.pid}`;
  await mkdir(path.dirname(venv), { recursive: true });
  await run('python3', ['-m', 'venv', unfinished]);
  await run(path.join(unfinished, 'bin/python'), ['-m', 'pip', 'install', '--quiet', REQUIREMENT], {
    maxBuffer: 16 * 1024 * 1024,
  });
  await rename(unfinished, venv).catch(() => rm(unfinished, { recursive: true, force: true }));
  return venv;
}

async function ready(url: string, child: ChildProcess): Promise<void> {
  const stderr: string[] = [];
  child.stderr?.on('data', (chunk) => stderr.push(String(chunk)));
  const deadline = Date.now() + START_MS_MAX;
  while (Date.now() < deadline && child.exitCode === null) {
    try {
      if ((await fetch(`${url}/readyz`)).status === 200) return;
    } catch {
      // Not listening yet.
    }
    await sleep(200);
  }
  child.kill('SIGKILL');
  throw new Error(`iscc-search did not start: ${stderr.join('')}`);
}

async function stopped(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), 5000);
  await exited;
  clearTimeout(timer);
}

async function freePort(): Promise<number> {
  const server = net.createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
