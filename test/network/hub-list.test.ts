/** A node whose hub list changes, and the metrics of the hubs on it. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { isccd } from '../support/command.js';
import { HubDouble } from './support/hub-double.js';
import { Node } from './support/node.js';

const TEST_MS_MAX = 120_000;

let hub: HubDouble;
let other: HubDouble;
let node: Node;

beforeEach(async () => {
  hub = await HubDouble.start(1, 40);
  other = await HubDouble.start(2, 30);
  node = await Node.create(hub, other);
  Object.assign(node.env, { ISCCD_METRICS_PORT: '0' });
  await node.start();
  await node.until(hub, 'following', 40);
  await node.until(other, 'following', 30);
});

afterEach(async () => {
  await node.remove();
  await Promise.all([hub.stop(), other.stop()]);
});

it('keeps following while the list is empty, also after a restart', { timeout: TEST_MS_MAX }, async () => {
  await writeFile(path.join(node.folder, 'hubs.yaml'), 'network: testnet\nhubs: []\n');
  await expect.poll(() => node.output, { timeout: 30_000 }).toContain('the hub list is empty');
  hub.append(5);
  await node.until(hub, 'following', 45);
  await node.kill();
  hub.append(5);
  await node.start();
  await node.until(hub, 'following', 50);
});

it('is reported while the list cannot be read', { timeout: TEST_MS_MAX }, async () => {
  await writeFile(path.join(node.folder, 'hubs.yaml'), 'no list');
  await expect.poll(() => node.output, { timeout: 30_000 }).toContain('the hub list is invalid');
  const args = ['network', 'status', '--url', String(node.urls.search)];
  const shown = await isccd(args, { env: node.env });
  expect([shown.code, shown.stdout, shown.stderr]).toEqual([
    1,
    expect.stringContaining(' following '),
    expect.stringMatching(/^isccd: the service can't read the list of hubs; last read [^\n]+\n$/),
  ]);
});

it('pauses a hub that is not listed, and resumes where it was', { timeout: TEST_MS_MAX }, async () => {
  await node.list(hub);
  await node.until(other, 'paused', 30);
  expect(await node.assets()).toBe(hub.assets.length + other.assets.length);
  other.append(4);
  await node.list(hub, other);
  await node.until(other, 'following', 34);
});

it('freezes an address that shows another log under the same id', { timeout: TEST_MS_MAX }, async () => {
  const replacement = await HubDouble.start(1, 60, hub);
  replacement.fork(10, 60);
  await node.list(replacement, other);
  const status = await node.until(hub, 'frozen', 40);
  expect(status.alarm).toMatchObject({ kind: 'replaced', evidence: 1 });
  await replacement.stop();
});

it('has metrics of each hub, of commits and of the list', { timeout: TEST_MS_MAX }, async () => {
  const text = await (await fetch(`${node.urls.metrics}/metrics`)).text();
  for (const line of [
    'isccd_network_cursor{hub_id="1"} 40',
    'isccd_network_tree_size{hub_id="2"} 30',
    'isccd_network_hub_state{hub_id="1",state="following"} 1',
    'isccd_network_hub_state{hub_id="1",state="frozen"} 0',
    'isccd_network_anomalies_total{hub_id="1",kind="order"} 0',
    'isccd_network_requests_total{hub_id="1",resource="checkpoint",outcome="ok"}',
    'isccd_network_commit_duration_seconds_count',
    'isccd_network_hub_list_age_seconds',
    'isccd_network_last_success_timestamp_seconds{hub_id="2"}',
  ])
    expect(text).toContain(line);
});
