/**
 * The self-check of a transport at start. Some builds of uWebSockets.js respond 505 when TCP splits the request line, or
 * read past the end of a request.
 */
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { endsWithin } from '../../platform/time-limit.js';
import type { Exchange, Listener, Transport } from './transport.js';

/** Only a broken server takes longer than some milliseconds. */
const CHECK_MS_MAX = 10_000;
/** So that the server reads packets one by one. */
const BETWEEN_PACKETS_MS = 2;

const HOST = 'Host: localhost\r\n';
const post = (headers: string, body: string) => `POST /p HTTP/1.1\r\n${HOST}${headers}\r\n${body}`;
const LAST = `GET /last HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`;

interface Case {
  readonly name: string;
  readonly packets: readonly string[];
  /** What the responses contain, in this order; their bodies are `METHOD PATH BYTES;`. */
  readonly expected: RegExp;
}

const CASES: readonly Case[] = [
  {
    name: 'a request line in three packets',
    packets: ['GET /sp', 'lit HTTP/1', `.1\r\n${HOST}\r\n`, LAST],
    expected: /^HTTP\/1\.1 200 .*GET \/split 0;HTTP\/1\.1 200 .*GET \/last 0;$/s,
  },
  {
    name: 'a chunked body in two packets',
    packets: [post('Transfer-Encoding: chunked\r\n', '5\r\nhel'), `lo\r\n0\r\n\r\n${LAST}`],
    expected: /^HTTP\/1\.1 200 .*POST \/p 5;HTTP\/1\.1 200 .*GET \/last 0;$/s,
  },
  {
    name: 'pipelined requests',
    packets: [`GET /1 HTTP/1.1\r\n${HOST}\r\n${post('Content-Length: 2\r\n', 'ab')}${LAST}`],
    expected: /^HTTP\/1\.1 200 .*GET \/1 0;HTTP\/1\.1 200 .*POST \/p 2;HTTP\/1\.1 200 .*GET \/last 0;$/s,
  },
  {
    name: 'HEAD',
    packets: [`HEAD /h HTTP/1.1\r\n${HOST}\r\n${LAST}`],
    expected: /^HTTP\/1\.1 200 [^;]*\r\n\r\nHTTP\/1\.1 200 .*GET \/last 0;$/s,
  },
  {
    name: 'two lengths',
    packets: [post('Content-Length: 5\r\nContent-Length: 6\r\n', `hello!${LAST}`)],
    expected: /^(HTTP\/1\.1 400 [^;]*)?$/s,
  },
  {
    name: 'an invalid chunk',
    packets: [post('Transfer-Encoding: chunked\r\n', `zz\r\nhello\r\n0\r\n\r\n${LAST}`)],
    expected: /^(HTTP\/1\.1 400 [^;]*)?$/s,
  },
];

/**
 * Lets the transport serve each case on a free port of the loopback interface.
 *
 * @throws with the name of a case that fails
 */
export async function checkTransport(transport: Transport): Promise<void> {
  const listener = await transport.listen('127.0.0.1', 0, respond, unparsable, false);
  const failures: string[] = [];
  const all = Promise.all(
    CASES.map(async ({ name, packets, expected }) => {
      failures.push(name);
      if (expected.test(await responsesTo(listener, packets))) failures.splice(failures.indexOf(name), 1);
    }),
  );
  await endsWithin(CHECK_MS_MAX, all);
  await listener.close();
  if (failures.length > 0) throw new Error(`the self-check failed: ${failures.join(', ')}`);
}

const unparsable = () => ({ status: 400, headers: ['Connection', 'close'], body: '' });

function respond(exchange: Exchange): void {
  const { method, path, headers } = exchange.head;
  const head = { status: 200, headers: [], close: headers.get('connection') === 'close' };
  if (exchange.malformed !== undefined) exchange.refuse({ ...head, status: 400, close: true }, 'malformed');
  else if (method === 'HEAD') exchange.respondWithoutBody(head, 'HEAD /h 0;'.length);
  else if (method === 'GET') exchange.respond(head, `GET ${path} 0;`);
  else {
    let received = 0;
    exchange.detach(() => {});
    exchange.readBody((bytes, last) => {
      received += bytes.length;
      if (last) exchange.respond(head, `${method} ${path} ${received};`);
    });
  }
}

/** Enough that the system enlarges its buffers to more than a build reads in one call (512 KiB). */
const PAUSED_BODY_BYTES = 6 * 1024 * 1024;
const PAUSE_MS = 1;

/**
 * Whether a transport delivers nothing of a body that is paused. A build that reads on as long as bytes arrive keeps an upload
 * from a fast network in memory, and serves no other client meanwhile.
 */
export async function stopsWhenPaused(transport: Transport): Promise<boolean> {
  let late = 0;
  const pausing = (exchange: Exchange) => {
    let paused = false;
    exchange.detach(() => {});
    exchange.readBody((bytes, last) => {
      if (paused) late += bytes.length;
      if (last) exchange.respond({ status: 200, headers: [], close: true }, '');
      if (paused || last) return;
      paused = true;
      exchange.pause();
      setTimeout(() => {
        paused = false;
        exchange.resume();
      }, PAUSE_MS);
    });
  };
  const listener = await transport.listen('127.0.0.1', 0, pausing, unparsable, false);
  const body = Buffer.alloc(PAUSED_BODY_BYTES).toString('latin1');
  const head = `Content-Length: ${body.length}\r\nConnection: close\r\n`;
  await endsWithin(CHECK_MS_MAX, responsesTo(listener, [post(head, body)]));
  await listener.close();
  return late === 0;
}

/** What the server sends until it closes the connection. */
async function responsesTo({ host, port }: Listener, packets: readonly string[]): Promise<string> {
  const socket = net.connect({ host, port, noDelay: true });
  let text = '';
  const closed = new Promise<void>((resolve) => {
    socket.on('error', () => {});
    socket.on('data', (bytes) => {
      text += bytes.toString('latin1');
    });
    socket.on('close', () => resolve());
  });
  for (const packet of packets) {
    socket.write(packet);
    await sleep(BETWEEN_PACKETS_MS);
  }
  await closed;
  return text;
}
