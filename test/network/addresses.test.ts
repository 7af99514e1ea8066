/** A hub whose name stands for another address at a later poll: only public addresses, and those of a test, are connected to. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startServer } from '../../src/http/server.js';
import { loadTransport } from '../../src/http/transport/load-transport.js';
import type { NetworkStatus } from '../../src/network/status.js';
import { readNetworkConfig } from '../../src/platform/config/network.js';
import { searchVariables } from '../../src/platform/config/search.js';
import { readVariables } from '../../src/platform/config/variable.js';
import { searchApp } from '../../src/services/search/app.js';
import { dnsServer } from '../support/dns.js';
import { HubDouble } from './support/hub-double.js';

const NAME = 'hub.example';
/** Plays the public address. */
const PUBLIC = '127.0.0.1';
const PRIVATE = '127.0.0.2';
const WAIT_MS_MAX = 30_000;

/** A node in this process that follows hubs, with its own DNS. */
async function startNode(dnsServers: readonly string[], ...hubs: readonly HubDouble[]) {
  const folder = await mkdtemp(path.join(tmpdir(), 'isccd-addresses-'));
  const list = path.join(folder, 'hubs.yaml');
  await writeFile(list, HubDouble.list(...hubs));
  const lines: string[] = [];
  const stream = new Writable({
    write(line, _, done) {
      lines.push(String(line));
      done();
    },
  });
  const log = pino({ level: 'info' }, stream);
  const network = readNetworkConfig({
    INDEXSVC_ENVIRONMENT: 'test',
    INDEXSVC_AGGREGATOR_TEST_ALLOW: `${NAME} ${PUBLIC}`,
    INDEXSVC_AGGREGATOR_NETWORK: 'testnet',
    INDEXSVC_AGGREGATOR_HUB_LIST_URL: list,
    INDEXSVC_AGGREGATOR_POLL_INTERVAL: '1',
  });
  if (network === undefined) throw new Error('no network is set');
  const config = readVariables(searchVariables, {});
  const app = await searchApp(config, folder, { network, log, routes: { dnsServers } });
  const server = await startServer(app, {
    host: PUBLIC,
    port: 0,
    transport: loadTransport('auto', log),
    log,
  });
  onTestFinished(async () => {
    await server.stop();
    await rm(folder, { recursive: true });
  });
  const stateOf = async ({ hubId }: HubDouble) => {
    const status = (await (await fetch(`${server.url}/status`)).json()) as NetworkStatus;
    return status.hubs.find(({ hub_id }) => hub_id === hubId);
  };
  const until = (hub: HubDouble, state: string, cursor: number) =>
    expect.poll(() => stateOf(hub), { timeout: WAIT_MS_MAX }).toMatchObject({ state, cursor });
  const statusOf = async (isccId: string | undefined) =>
    (await fetch(`${server.url}/indexes/idptest/assets/${isccId}`)).status;
  return { stateOf, until, statusOf, lines };
}

/** A server at the private address and the port of a hub, which counts its requests. */
async function privateServer(hub: HubDouble): Promise<{ readonly visits: () => number }> {
  let visits = 0;
  const server = createServer((_, response) => {
    visits += 1;
    response.end(hub.note);
  });
  await new Promise<void>((resolve) => server.listen(hub.port, PRIVATE, resolve));
  onTestFinished(() => void server.close());
  // It is reachable, so a node that does not check addresses gets there.
  await fetch(`http://${PRIVATE}:${hub.port}/`);
  return { visits: () => visits - 1 };
}

describe.skipIf(process.platform !== 'linux')('a hub whose name turns', { timeout: 4 * WAIT_MS_MAX }, () => {
  it.each([
    ['to a private address', [PRIVATE]],
    ['to a public and a private address', [PUBLIC, PRIVATE]],
    ['to the unspecified address', ['0.0.0.0']],
    ['to a mapped address', [`::ffff:7f00:2`]],
  ])('%s is unreachable, and followed again once the name is public', async (_, addresses) => {
    const names: Record<string, readonly string[]> = { [NAME]: [PUBLIC] };
    const dns = await dnsServer(names);
    onTestFinished(() => dns.close());
    const [turning, other] = await Promise.all([HubDouble.start(1, 30), HubDouble.start(2, 20)]);
    onTestFinished(() => Promise.all([turning.stop(), other.stop()]).then(() => undefined));
    turning.host = NAME;
    const { visits } = await privateServer(turning);
    const node = await startNode([dns.address], turning, other);
    await node.until(turning, 'following', 30);
    const requests = () => turning.requests.length;

    names[NAME] = addresses;
    turning.disconnect();
    turning.append(5);
    await node.until(turning, 'unreachable', 30);
    const before = requests();
    expect(await node.stateOf(turning)).toMatchObject({ ok: false, error: 'hub can not be reached' });
    expect(node.lines.join('')).toContain('is not a public address');
    // All else goes on.
    other.append(7);
    await node.until(other, 'following', 27);
    expect(await node.statusOf(turning.isccIds[0])).toBe(200);
    expect(await node.statusOf(other.isccIds.at(-1))).toBe(200);
    expect([visits(), requests()]).toEqual([0, before]);

    names[NAME] = [PUBLIC];
    await node.until(turning, 'following', 35);
    expect(visits()).toBe(0);
  });
});
