/** Connections to a real Redis that close while Redis still owes a reply. */
import { once } from 'node:events';
import net from 'node:net';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createLogger } from '../../src/platform/observe/log.js';
import { RedisLink } from '../../src/platform/redis/link.js';
import { freePorts } from '../support/free-ports.js';
import { type RedisServer, startRedis } from '../support/redis.js';
import { INSTALL_MAX_MS } from '../support/set-up.js';

const WAIT = { timeout: 30_000, interval: 20 };

let redis: RedisServer;
beforeAll(async () => {
  redis = await startRedis();
}, INSTALL_MAX_MS);
afterAll(() => redis?.stop());

/** Passes connections on to Redis, and can hold back what Redis replies to `SUBSCRIBE`. */
async function startRelay() {
  const { hostname, port } = new URL(redis.url);
  const seen = { subscriptions: 0 };
  const sockets = new Set<net.Socket>();
  let isHolding = false;
  const server = net.createServer((client) => {
    const upstream = net.connect(Number(port), hostname);
    let isHeld = false;
    client.on('data', (data) => {
      if (data.toString().toLowerCase().includes('subscribe')) {
        seen.subscriptions += 1;
        isHeld = isHolding;
      }
      upstream.write(data);
    });
    upstream.on('data', (data) => isHeld || client.write(data));
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        for (const other of [client, upstream]) other.destroy();
        sockets.delete(socket);
      });
    }
  });
  const [at] = await freePorts(1);
  server.listen(at, '127.0.0.1');
  await once(server, 'listening');
  const drop = () => {
    for (const socket of sockets) socket.destroy();
  };
  onTestFinished(async () => {
    const closed = once(server, 'close');
    server.close();
    drop();
    await closed;
  });
  return {
    url: `redis://127.0.0.1:${at}`,
    seen,
    drop,
    connections: () => sockets.size,
    hold: (value: boolean) => {
      isHolding = value;
    },
  };
}

function unhandled(): unknown[] {
  const errors: unknown[] = [];
  const note = (error: unknown) => void errors.push(error);
  process.on('unhandledRejection', note);
  onTestFinished(() => void process.off('unhandledRejection', note));
  return errors;
}

async function listening(url: string) {
  const link = await RedisLink.open({
    url,
    log: createLogger('silent'),
    metric: 'isccd_test',
    fallback: 'each counts',
  });
  const heard: string[] = [];
  await link.listen('channel', (message) => void heard.push(message));
  onTestFinished(() => link.close());
  return { link, heard };
}

test('closing a link that subscribes again fails nothing', async () => {
  const errors = unhandled();
  const relay = await startRelay();
  const { link } = await listening(relay.url);
  const before = relay.seen.subscriptions;
  relay.hold(true);
  relay.drop();
  await expect.poll(() => relay.seen.subscriptions, WAIT).toBe(before + 1);
  link.close();
  await expect.poll(relay.connections, WAIT).toBe(0);
  await new Promise(setImmediate);
  expect(errors).toEqual([]);
});

test('a link hears messages again after each lost connection, also one lost while it subscribes', async () => {
  const errors = unhandled();
  const relay = await startRelay();
  const { link, heard } = await listening(relay.url);
  for (const isHeld of [false, true, false]) {
    const before = relay.seen.subscriptions;
    relay.hold(isHeld);
    relay.drop();
    await expect.poll(() => relay.seen.subscriptions, WAIT).toBeGreaterThan(before);
  }
  const publish = async () => {
    await link.run((commands) => commands.publish('channel', 'again'));
    return heard;
  };
  await expect.poll(publish, WAIT).toContain('again');
  expect(errors).toEqual([]);
});
