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

async function started(entries: number) {
  const hub = await HubDouble.start(1, entries);
  const node = await Node.create(hub);
  onTestFinished(async () => {
    await node.remove();
    await hub.stop();
  });
  return { hub, node };
}

async function expectWhole(node: Node, hub: HubDouble): Promise<void> {
  await node.expectAssets(hub);
  expect(await node.assets()).toBe(hub.assets.length);
  const verified = await isccd(['network', 'verify', '--json'], { env: node.env });
  expect(JSON.parse(verified.stdout)).toMatchObject({ ok: true, problems: [] });
}

test.skipIf(process.platform !== 'linux').each([
  ['write', 'always'],
  ['sync', 'sync'],
])(
  'a commit whose %s fails is repeated, after a restart if need be',
  { timeout: TEST_MS_MAX },
  async (_, fault) => {
    const { hub, node } = await started(300);
    const library = build('fail-writes.c', node.folder);
    const trigger = path.join(node.folder, fault);
    Object.assign(node.env, { LD_PRELOAD: library, FAULT_TRIGGER: trigger });
    await node.start();
    await node.until(hub, 'following', 300);
    await writeFile(trigger, '');
    hub.append(40);
    await expect.poll(() => node.output, { timeout: 60_000 }).toMatch(/EIO|Input\/output|MDB_PANIC|panic/i);
    await rm(trigger);
    await node.kill();
    await node.start();
    await node.until(hub, 'following', 340);
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
