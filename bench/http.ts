/**
 * Cost of the HTTP layer: a routed, validated GET with a JSON response, compared with empty handlers.
 *
 * Rounds alternate, so that other load on the machine affects all servers. Requests per second also depend on the load
 * generator, a Node.js process; requests per CPU second of the server do not.
 */
import { type ChildProcess, execFile, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { HAS_UWS } from '../test/support/transports.js';
import { ARGUMENTS, quickOr } from './support/options.js';

const ROUNDS = quickOr(1, 3);
const SECONDS = Number(ARGUMENTS[0] ?? quickOr(0.2, 2));
const CONNECTIONS = 64;
const PATH = '/api/v1/items/photo?limit=20';
const BASE = 'bare uWebSockets.js';
const TARGET = 0.6;

const NODE_BASE = 'bare node:http';
const NODE_KINDS = [NODE_BASE, 'routed over node', 'routed and logged over node'];
const KINDS = [...(HAS_UWS ? [BASE, 'routed over uws', 'routed and logged over uws'] : []), ...NODE_KINDS];

interface Measured {
  readonly perSecond: number;
  readonly perCpuSecond: number;
  readonly p99Us: number;
}

const results = new Map<string, Measured[]>(KINDS.map((kind) => [kind, []]));
for (let round = 0; round < ROUNDS; round += 1) {
  for (const kind of KINDS) results.get(kind)?.push(await measure(kind));
}

const base = best(KINDS[0] ?? BASE);
console.log(`Node.js ${process.version}${HAS_UWS ? '' : ': no binary of uWebSockets.js'}`);
console.log('server                          requests/s  of bare   per CPU s  of bare   p99 us');
for (const kind of KINDS) {
  const { perSecond, perCpuSecond, p99Us } = best(kind);
  const columns = [
    kind.padEnd(30),
    perSecond.toFixed(0).padStart(11),
    (perSecond / base.perSecond).toFixed(2).padStart(8),
    perCpuSecond.toFixed(0).padStart(11),
    (perCpuSecond / base.perCpuSecond).toFixed(2).padStart(8),
    p99Us.toFixed(0).padStart(8),
  ];
  console.log(columns.join(' '));
}
const measured = HAS_UWS ? 'routed over uws' : 'routed over node';
const ratio = best(measured).perSecond / base.perSecond;
console.log(`${measured}: ${ratio.toFixed(2)} of the bare handler's requests/s (target ${TARGET})`);

function best(kind: string): Measured {
  const [first, ...rest] = results.get(kind) ?? [];
  if (first === undefined) throw new Error(`${kind} was not measured`);
  return rest.reduce((most, next) => (next.perSecond > most.perSecond ? next : most), first);
}

async function measure(kind: string): Promise<Measured> {
  const server = fork(support('http-server.mjs'), [kind], {
    execArgv: [],
    stdio: ['ignore', 'inherit', 'ignore', 'ipc'],
  });
  try {
    const port = Number(await message(server));
    const before = await cpuSeconds(server);
    const start = performance.now();
    const args = [support('load.mjs'), port, CONNECTIONS, SECONDS, PATH].map(String);
    const { stdout } = await promisify(execFile)(process.execPath, args);
    const elapsed = (performance.now() - start) / 1000;
    const { perSecond, p99Us } = JSON.parse(stdout) as { perSecond: number; p99Us: number };
    // CPU time and elapsed time both include the warm-up.
    const cpuShare = ((await cpuSeconds(server)) - before) / elapsed;
    return { perSecond, p99Us, perCpuSecond: perSecond / cpuShare };
  } finally {
    server.kill();
  }
}

async function cpuSeconds(server: ChildProcess): Promise<number> {
  server.send('cpu');
  const { user, system } = (await message(server)) as NodeJS.CpuUsage;
  return (user + system) / 1e6;
}

function message(server: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    server.once('message', resolve);
    server.once('exit', (code) => reject(new Error(`the server exited with ${code}`)));
  });
}

function support(file: string): string {
  return fileURLToPath(new URL(`support/${file}`, import.meta.url));
}
