/** Disk faults while a node commits what hubs declared: nothing is lost, nothing is blamed on the hub, and it recovers. */
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { HubDouble } from '../network/support/hub-double.js';
import { Node } from '../network/support/node.js';
import { isccd } from '../support/command.js';
import { build } from './support/preload.js';
import { fill, smallDisk } from './support/small-disk.js';

const TEST_MS_MAX = 180_000;
const DISK_MEGABYTES = 24;
/** Status of a process whose index is unusable until it is opened again. */
const EXIT_BROKEN = 70;

async function started(entries: number) {
  const hub = await HubDouble.start(1, entries);
  const node = await Node.create(hub);
  onTestFinished(async () => {
    await node.remove();
    await hub.stop();
  });
  return { hub, node };
}

/** Starts the node with a library that makes writes or syncs fail while a file of this name exists. */
async function startWithFaults(node: Node, name: 'once' | 'sync'): Promise<string> {
  const trigger = path.join(node.folder, name);
  Object.assign(node.env, { LD_PRELOAD: build('fail-writes.c', node.folder), FAULT_TRIGGER: trigger });
  await node.start();
  return trigger;
}

async function expectWhole(node: Node, hub: HubDouble): Promise<void> {
  await node.expectAssets(hub);
  expect(await node.assets()).toBe(hub.assets.length);
  const verified = await isccd(['network', 'verify', '--json'], { env: node.env });
  expect(JSON.parse(verified.stdout)).toMatchObject({ ok: true, problems: [] });
}

test.skipIf(process.platform !== 'linux')(
  'a commit that makes the index unusable ends the process with status 70; the next one goes on',
  { timeout: TEST_MS_MAX },
  async () => {
    const { hub, node } = await started(300);
    const trigger = await startWithFaults(node, 'once');
    await node.until(hub, 'following', 300);
    await writeFile(trigger, '');
    hub.append(40);
    await expect.poll(() => node.exitCode, { timeout: 60_000 }).toBe(EXIT_BROKEN);
    expect(node.output).toContain('an index can not be written');
    await node.start();
    await node.until(hub, 'following', 340);
    await expectWhole(node, hub);
  },
);

test.skipIf(process.platform !== 'linux')(
  'a commit whose sync fails is repeated; /readyz names the index until one succeeds',
  { timeout: TEST_MS_MAX },
  async () => {
    const { hub, node } = await started(300);
    const trigger = await startWithFaults(node, 'sync');
    await node.until(hub, 'following', 300);
    await writeFile(trigger, '');
    hub.append(40);
    const readiness = async () => (await node.get('/readyz')).json();
    const failing = { idptest: 'the last write failed' };
    await expect.poll(readiness, { timeout: 60_000 }).toEqual({ status: 'ready', failing });
    await rm(trigger);
    await node.until(hub, 'following', 340);
    expect(await readiness()).toEqual({ status: 'ready' });
    await expectWhole(node, hub);
  },
);

test('a full disk stops the cursor, not the service, and blames no hub', {
  timeout: TEST_MS_MAX,
}, async (context) => {
  const { hub, node } = await started(300);
  const disk = await smallDisk(DISK_MEGABYTES, context);
  Object.assign(node.env, { INDEXSVC_INDEX_URI: `lmdb://${path.join(disk, 'index')}` });
  await node.start();
  await node.until(hub, 'following', 300);
  const ballast = path.join(disk, 'ballast');
  await fill(ballast, 8);
  hub.append(3000);
  await expect.poll(async () => (await node.state(hub))?.error, { timeout: 60_000 }).toBe('no space left');
  expect(await node.state(hub)).toMatchObject({ alarm: null });
  expect((await node.get('/healthz')).status).toBe(200);
  await rm(ballast);
  await node.until(hub, 'following', 3300);
  await expectWhole(node, hub);
});
