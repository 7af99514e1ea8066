/**
 * The codes service compared with an empty handler over the same transport: the share of its throughput that remains. And
 * uploads compared with a program that only stores as many bytes as durably: the share of the disk's throughput. Rounds
 * alternate, so that other load on the machine affects all.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { HAS_UWS } from '../test/support/transports.js';
import { ARGUMENTS, quickOr } from './support/options.js';

const ROUNDS = quickOr(1, 3);
const SECONDS = Number(ARGUMENTS[0] ?? quickOr(0.2, 2));
const EXPLAIN_CONNECTIONS = 64;
const UPLOAD_CONNECTIONS = 8;
const UPLOAD_BYTES = 1024 * 1024;
const EXPLAIN_TARGET = 0.6;
const UPLOAD_TARGET = 0.2;
const CODE = 'ISCC:KMDMRJYGHHVRCZ5TM6U4G6D4MXA6LAXC4ZRPOKFU7JBEQXR2BJOS6NA';

const MAIN = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
const LOAD = fileURLToPath(new URL('support/load.mjs', import.meta.url));
const DURABLE_WRITES = fileURLToPath(new URL('support/durable-writes.mjs', import.meta.url));

const BINDING = fileURLToPath(new URL('../dist/http/transport/uws-binding.js', import.meta.url));

/** A server that accepts every request, over uWebSockets.js. */
const BARE_UWS = `
import { loadBinding } from ${JSON.stringify(BINDING)};
const uws = loadBinding();
const app = uws.App()
  .get('/*', (response) => response.end('{}'))
  .post('/*', (response) => {
    response.onAborted(() => undefined);
    response.onData((_, last) => {
      if (last) response.cork(() => response.writeStatus('201 Created').end('{}'));
    });
  });
app.listen('127.0.0.1', 0, (socket) => console.log('http://127.0.0.1:' + uws.us_socket_local_port(socket)));
`;

/** The same over `node:http`. */
const BARE_NODE = `
const server = require('node:http').createServer((request, response) => {
  response.statusCode = request.method === 'POST' ? 201 : 200;
  request.resume().once('end', () => response.end('{}'));
});
server.listen(0, '127.0.0.1', () => console.log('http://127.0.0.1:' + server.address().port));
`;

type Rate = (url: string) => Promise<number>;

const folder = await mkdtemp(path.join(tmpdir(), 'isccd-bench-'));
const bareFolder = await mkdtemp(path.join(tmpdir(), 'isccd-bench-'));
const env = {
  CODEWEB_PORT: '0',
  CODEWEB_MEDIA_PATH: folder,
  CODEWEB_LOG_LEVEL: 'warn',
  CODEWEB_MAX_WORKERS: '1',
};
const children: ChildProcess[] = [];
try {
  const bare = await start(HAS_UWS ? ['--input-type=module', '-e', BARE_UWS] : ['-e', BARE_NODE]);
  const ours = await start([MAIN, 'serve', 'codes']);
  console.log('                     bare     isccd   isccd/bare');
  const explain = await compare('GET /explain', explanations, bare, ours);
  const upload = await compare('POST /iscc, 1 MB', uploads, bare, ours, durableWrites);
  console.log(
    `GET /explain: ${explain.toFixed(2)} of the bare handler's requests/s (target ${EXPLAIN_TARGET})`,
  );
  console.log(
    `POST /iscc: ${upload.toFixed(2)} (target ${UPLOAD_TARGET}); the bare handler writes nothing to the disk, which sets a limit of its own`,
  );
} finally {
  for (const child of children) child.kill();
  for (const used of [folder, bareFolder]) await rm(used, { recursive: true, force: true });
}

/** Compares the best rounds of both; noise only lowers rates. */
async function compare(
  name: string,
  rate: Rate,
  bareUrl: string,
  ourUrl: string,
  disk?: () => Promise<number>,
): Promise<number> {
  let [bare, ours, stored] = [0, 0, 0];
  for (let round = 0; round < ROUNDS; round += 1) {
    bare = Math.max(bare, await rate(bareUrl));
    ours = Math.max(ours, await rate(ourUrl));
    stored = Math.max(stored, (await disk?.()) ?? 0);
  }
  const columns = [bare, ours].map((perSecond) => `${perSecond.toFixed(0)}/s`.padStart(10));
  console.log(`${name.padEnd(16)}${columns.join('')}${(ours / bare).toFixed(2).padStart(10)}`);
  if (disk !== undefined)
    console.log(
      `  the disk alone stores ${stored.toFixed(0)}/s as durably; isccd/disk ${(ours / stored).toFixed(2)}`,
    );
  return ours / bare;
}

async function explanations(url: string): Promise<number> {
  const { port } = new URL(url);
  const args = [LOAD, port, EXPLAIN_CONNECTIONS, SECONDS, `/api/v1/explain/${CODE}`].map(String);
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return (JSON.parse(stdout) as { perSecond: number }).perSecond;
}

async function durableWrites(): Promise<number> {
  const args = [DURABLE_WRITES, bareFolder, UPLOAD_CONNECTIONS, UPLOAD_BYTES, SECONDS].map(String);
  // Each writer has up to three syncs at a time.
  const env = { ...process.env, UV_THREADPOOL_SIZE: String(3 * UPLOAD_CONNECTIONS) };
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  return (JSON.parse(stdout) as { perSecond: number }).perSecond;
}

async function uploads(url: string): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: UPLOAD_CONNECTIONS });
  const body = Buffer.alloc(UPLOAD_BYTES, 'isccd ');
  const start = performance.now();
  const end = start + SECONDS * 1000;
  let done = 0;
  const client = async () => {
    for (; performance.now() < end; done += 1) await upload(url, agent, body);
  };
  await Promise.all(Array.from({ length: UPLOAD_CONNECTIONS }, client));
  agent.destroy();
  return (done * 1000) / (performance.now() - start);
}

function upload(url: string, agent: Agent, body: Buffer): Promise<void> {
  const headers = { 'X-Upload-Filename': btoa('a.bin'), 'Content-Length': body.byteLength };
  return new Promise((resolve, reject) => {
    const outgoing = request(`${url}/api/v1/iscc`, { method: 'POST', agent, headers }, (response) => {
      if (response.statusCode !== 201) reject(new Error(`upload: status ${response.statusCode}`));
      response.resume().once('end', resolve);
    });
    outgoing.once('error', reject);
    outgoing.end(body);
  });
}

/** Starts a server and returns the URL that it prints. */
function start(args: string[]): Promise<string> {
  const child = spawn(process.execPath, args, { env: { ...process.env, ...env }, cwd: folder });
  children.push(child);
  let output = '';
  return new Promise((resolve, reject) => {
    const read = (data: Buffer) => {
      output += data.toString();
      const url = /http:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0];
      if (url !== undefined) resolve(url);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('exit', () => reject(new Error(`the server exited: ${output}`)));
  });
}
