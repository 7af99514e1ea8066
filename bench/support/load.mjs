/**
 * Load generator, run as a separate process: keep-alive connections with one request in flight each.
 * Usage: node load.mjs PORT CONNECTIONS SECONDS PATH. Prints JSON: responses per second and latency percentiles.
 */
import net from 'node:net';

const [port, connections, seconds, path] = process.argv.slice(2);
const request = Buffer.from(
  `GET ${path} HTTP/1.1\r\nHost: localhost:${port}\r\nAccept: application/json\r\n\r\n`,
);
const WARM_UP_MS = 1000;
const HEAD_END = Buffer.from('\r\n\r\n');

let counting = false;
let responses = 0;
const latenciesUs = [];

for (let i = 0; i < Number(connections); i += 1) connect();
setTimeout(begin, WARM_UP_MS);

function begin() {
  counting = true;
  const start = performance.now();
  // On a busy machine a short measurement waits for its first response.
  const end = () => (responses === 0 ? setTimeout(end, 50) : finish(performance.now() - start));
  setTimeout(end, Number(seconds) * 1000);
}

function finish(elapsedMs) {
  latenciesUs.sort((a, b) => a - b);
  const percentile = (p) => latenciesUs[Math.floor((latenciesUs.length - 1) * p)];
  const result = {
    perSecond: (responses / elapsedMs) * 1000,
    p50Us: percentile(0.5),
    p99Us: percentile(0.99),
  };
  process.stdout.write(JSON.stringify(result), () => process.exit());
}

function connect() {
  const socket = net.connect({ port: Number(port), host: '127.0.0.1', noDelay: true });
  let sentAt = 0;
  let received = Buffer.alloc(0);
  const send = () => {
    sentAt = performance.now();
    socket.write(request);
  };
  socket.on('connect', send);
  socket.on('data', (chunk) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    if (!isComplete(received)) return;
    received = Buffer.alloc(0);
    if (counting) {
      if (responses % 16 === 0) latenciesUs.push((performance.now() - sentAt) * 1000);
      responses += 1;
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
