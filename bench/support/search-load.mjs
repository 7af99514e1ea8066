/**
 * Load generator for searches, run as a separate process: keep-alive connections with one request in flight each.
 * Usage: node search-load.mjs PORT CONNECTIONS SECONDS PATH FILE, where FILE has one JSON body per line.
 * Prints JSON: responses per second and latency percentiles in ms.
 */
import { readFileSync } from 'node:fs';
import net from 'node:net';

const [port, connections, seconds, path, file] = process.argv.slice(2);
const WARM_UP_MS = 500;
const HEAD_END = Buffer.from('\r\n\r\n');
const requests = readFileSync(file, 'utf8')
  .split('\n')
  .filter(Boolean)
  .map((body) =>
    Buffer.from(
      `POST ${path} HTTP/1.1\r\nHost: localhost:${port}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    ),
  );

let counting = false;
let responses = 0;
let answered = 0;
let next = 0;
const latenciesMs = [];
for (let count = 0; count < Number(connections); count += 1) connect();
setTimeout(() => {
  counting = true;
  const start = performance.now();
  setTimeout(() => finish(performance.now() - start), Number(seconds) * 1000);
}, WARM_UP_MS);

function finish(elapsedMs) {
  latenciesMs.sort((a, b) => a - b);
  const percentile = (p) => latenciesMs[Math.floor((latenciesMs.length - 1) * p)] ?? Number.NaN;
  const result = {
    perSecond: (responses / elapsedMs) * 1000,
    // With those of the warm-up.
    answered,
    elapsedMs: elapsedMs + WARM_UP_MS,
    p50Ms: percentile(0.5),
    p99Ms: percentile(0.99),
    maxMs: percentile(1),
  };
  process.stdout.write(JSON.stringify(result), () => process.exit());
}

function connect() {
  const socket = net.connect({ port: Number(port), host: '127.0.0.1', noDelay: true });
  let sentAt = 0;
  let received = Buffer.alloc(0);
  const send = () => {
    sentAt = performance.now();
    next += 1;
    socket.write(requests[next % requests.length]);
  };
  socket.on('connect', send);
  socket.on('data', (chunk) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    if (!isComplete(received)) return;
    received = Buffer.alloc(0);
    answered += 1;
    if (counting) {
      responses += 1;
      latenciesMs.push(performance.now() - sentAt);
    }
    send();
  });
  socket.on('error', fail);
  socket.on('close', () => fail(new Error('the server closed a connection')));
}

/** Whether a response is complete. Fails on errors, which may be fast and must not count. */
function isComplete(data) {
  const end = data.indexOf(HEAD_END);
  if (end === -1) return false;
  const head = data.latin1Slice(0, end);
  if (!head.startsWith('HTTP/1.1 200')) fail(new Error(head));
  const length = Number(/content-length: (\d+)/i.exec(head)?.[1]);
  return data.length >= end + 4 + length;
}

function fail(error) {
  process.stderr.write(`load: ${error.message}\n`);
  process.exit(1);
}
