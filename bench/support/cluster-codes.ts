/** Codes services for the cluster benchmark, and requests to them. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { quickOr } from './options.js';

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const LOAD = fileURLToPath(new URL('load.mjs', import.meta.url));
const CONNECTIONS = 64;
const SECONDS = quickOr(0.2, 5);
/** Rounds of each measurement; noise only lowers rates, so the best one counts. */
const ROUNDS = quickOr(1, 3);

export interface CodesServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts `isccd serve codes` in a folder of its own. */
export async function startCodes(
  env: Readonly<Record<string, string>>,
  args: readonly string[] = [],
): Promise<CodesServer> {
  const folder = await mkdtemp(path.join(tmpdir(), 'isccd-bench-'));
  const child = spawn(process.execPath, [MAIN, 'serve', 'codes', ...args], {
    cwd: folder,
    env: {
      ...process.env,
      ISCCD_DATA_DIR: folder,
      CODEWEB_PORT: '0',
      CODEWEB_LOG_LEVEL: 'error',
      ...env,
    },
  });
  let output = '';
  const url = await new Promise<string>((resolve, reject) => {
    const read = (data: Buffer) => {
      output += data.toString();
      const announced = /^codes +(http:\/\/\S+)/m.exec(output)?.[1];
      if (announced !== undefined) resolve(announced);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('exit', () => reject(new Error(`the service exited: ${output}`)));
  });
  return {
    url,
    stop: async () => {
      const exit = once(child, 'exit');
      child.kill('SIGTERM');
      await exit;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export interface Post {
  readonly path: string;
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
  readonly status: number;
}

/** Responses per second to one request after another on each connection. */
export async function postsPerSecond({ url }: CodesServer, post: Post, connections: number): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const start = performance.now();
  const end = start + SECONDS * 1000;
  let done = 0;
  const client = async () => {
    do {
      await send(url, agent, post);
      done += 1;
    } while (performance.now() < end);
  };
  await Promise.all(Array.from({ length: connections }, client));
  agent.destroy();
  return (done * 1000) / (performance.now() - start);
}

function send(url: string, agent: Agent, { path: route, body, headers, status }: Post): Promise<void> {
  return new Promise((resolve, reject) => {
    const options = { method: 'POST', agent, headers: { ...headers, 'Content-Length': body.length } };
    const outgoing = request(url + route, options, (response) => {
      if (response.statusCode !== status) reject(new Error(`${route}: status ${response.statusCode}`));
      response.resume().once('end', resolve);
    });
    outgoing.once('error', reject);
    outgoing.end(body);
  });
}

/** Responses per second of a GET, from a load generator in its own process. */
export async function getsPerSecond({ url }: CodesServer, route: string): Promise<number> {
  const args = [LOAD, new URL(url).port, CONNECTIONS, SECONDS, route].map(String);
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return (JSON.parse(stdout) as { perSecond: number }).perSecond;
}

/** Measures two servers in alternating rounds and prints both rates and their ratio. */
export async function compare(
  name: string,
  base: CodesServer,
  other: CodesServer,
  rate: (server: CodesServer) => Promise<number>,
): Promise<void> {
  let [one, two] = [0, 0];
  for (let round = 0; round < ROUNDS; round += 1) {
    one = Math.max(one, await rate(base));
    two = Math.max(two, await rate(other));
  }
  const columns = [one, two].map((perSecond) => `${perSecond.toFixed(perSecond < 100 ? 1 : 0)}/s`);
  const texts = [...columns, (two / one).toFixed(2)].map((text) => text.padStart(12));
  console.log(`${name.padEnd(28)}${texts.join('')}`);
}

/** An upload of bytes without a known type. */
export function uploadOf(bytes: number): Post {
  return {
    path: '/api/v1/iscc',
    body: Buffer.alloc(bytes, 'isccd '),
    status: 201,
    headers: { 'X-Upload-Filename': btoa('a.bin') },
  };
}
