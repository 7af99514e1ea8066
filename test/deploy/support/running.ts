/** Starts programs, waits for them and stops them. */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

const STOP_MS_MAX = 20_000;
const START_MS_MAX = 60_000;
const POLL_MS = 50;
/** Characters of a program's output shown when a test fails. */
const SHOWN_CHARS = 1000;

export class Running {
  readonly #children: { child: ChildProcess; output: string[] }[] = [];

  start(command: string, args: readonly string[], options: SpawnOptions): void {
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    const output: string[] = [];
    child.stdout?.on('data', (data: Buffer) => output.push(data.toString()));
    child.stderr?.on('data', (data: Buffer) => output.push(data.toString()));
    child.on('error', (error) => output.push(String(error)));
    this.#children.push({ child, output });
  }

  /** Waits until `url` returns 200. */
  answers(url: string): Promise<void> {
    return this.until(async () => {
      const response = await fetch(url);
      await response.arrayBuffer();
      return response.status === 200;
    });
  }

  /** Waits until the port accepts connections. */
  listens(host: string, port: number): Promise<void> {
    return this.until(async () => {
      const socket = net.connect(port, host);
      await once(socket, 'connect').finally(() => socket.destroy());
      return true;
    });
  }

  /** Waits until the condition holds; an error counts as false. Throws with the programs' output after the time limit. */
  async until(holds: () => Promise<boolean>): Promise<void> {
    const end = performance.now() + START_MS_MAX;
    while (performance.now() < end) {
      if (await holds().catch(() => false)) return;
      await pause(POLL_MS);
    }
    const outputs = this.#children.map(({ output }) => output.join('').slice(-SHOWN_CHARS));
    throw new Error(`not ready in time\n${outputs.join('\n')}`);
  }

  async stop(): Promise<void> {
    const ends = this.#children.map(async ({ child }) => {
      if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit', { signal: AbortSignal.timeout(STOP_MS_MAX) });
      child.kill('SIGTERM');
      await ended;
    });
    await Promise.all(ends);
  }
}

/** A free port of this address. */
export async function freePort(host = '127.0.0.1'): Promise<number> {
  const server = net.createServer().listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as net.AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
