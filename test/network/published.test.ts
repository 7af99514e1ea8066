/** What a node publishes: checkpoints, inclusion proofs, evidence and mirrored logs, verified independently. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { native } from '../../src/native.js';
import { isccd } from '../support/command.js';
import { HubDouble } from './support/hub-double.js';
import { Node } from './support/node.js';
import { isIncluded, leafHash, oldRootOf, parsedNote } from './support/proofs.js';
import { SlowTwin } from './support/slow-twin.js';

interface Proof {
  readonly leafIndex: number;
  readonly inclusionProof: readonly string[];
}

interface Inclusion extends Proof {
  readonly type: string;
  readonly checkpoint: string;
  readonly treeSize: number;
  readonly deletion?: Proof;
}

/** With `ISCCD_TEST_LONG`, the mirrored log has tiles of level 2. */
const MIRRORED = process.env.ISCCD_TEST_LONG === undefined ? 1500 : 70_000;

const hubs: HubDouble[] = [];
let node: Node;

afterEach(async () => {
  await node?.remove();
  await Promise.all(hubs.splice(0).map((hub) => hub.stop()));
});

async function hub(hubId: number, entries: number): Promise<HubDouble> {
  const double = await HubDouble.start(hubId, entries);
  hubs.push(double);
  return double;
}

async function follow(double: HubDouble, env: Record<string, string> = {}): Promise<void> {
  node = await Node.create(double);
  Object.assign(node.env, env);
  await node.start();
  await node.until(double, 'following', double.size);
}

async function text(address: string): Promise<string> {
  const response = await node.get(address);
  expect(response.status).toBe(200);
  expect(response.headers.get('access-control-allow-origin')).toBe('*');
  return response.text();
}

async function inclusion(isccId: string): Promise<Inclusion> {
  return JSON.parse(await text(`/network/inclusion/${isccId}`)) as Inclusion;
}

describe('a node', { timeout: 120_000 }, () => {
  it('proves that declarations and deletions are in the log of their hub', async () => {
    const double = await hub(7, 1000);
    await follow(double);
    const note = await text('/network/hubs/7/checkpoint');
    expect(note).toBe(double.note);
    for (const isccId of [double.isccIds[0], double.isccIds[411], double.isccIds.at(-1)]) {
      const found = await inclusion(String(isccId));
      expect(found).toMatchObject({ type: 'IsccLogInclusionProof', checkpoint: note, treeSize: 1000 });
      const leaf = leafHash(double.record(found.leafIndex));
      expect(isIncluded(leaf, found.leafIndex, found.inclusionProof, parsedNote(note))).toBe(true);
      expect(isIncluded(leaf, found.leafIndex + 1, found.inclusionProof, parsedNote(note))).toBe(false);
      expect(found.deletion).toBeUndefined();
    }
    const { deletion } = await inclusion(double.deletedIds[3] ?? '');
    const { leafIndex = 0, inclusionProof = [] } = deletion ?? {};
    expect(double.record(leafIndex).toString()).toContain('iscc-note-delete');
    expect(isIncluded(leafHash(double.record(leafIndex)), leafIndex, inclusionProof, parsedNote(note))).toBe(
      true,
    );
    const absent = native.isccId(0, 1_000_000, 7);
    for (const unknown of [absent, 'nonsense', double.isccIds[0]?.toLowerCase()])
      expect((await node.get(`/network/inclusion/${unknown}`)).status).toBe(404);
    expect((await node.get('/network/hubs/8/checkpoint')).status).toBe(404);
    expect((await node.get('/network/hubs/7/log/checkpoint')).status).toBe(404);
  });

  it('publishes contradictions that anyone can check', async () => {
    const double = await hub(7, 700);
    await follow(double);
    expect(await (await node.get('/network/hubs/7/evidence')).json()).toEqual([]);
    double.fork(400, 900);
    await node.until(double, 'frozen', 700);
    const [found] = JSON.parse(await text('/network/hubs/7/evidence')) as [
      { kind: string; accepted: string; other: string; proof: string[] },
    ];
    expect(found.kind).toBe('fork');
    const [accepted, other] = [parsedNote(found.accepted), parsedNote(found.other)];
    const impliedRoot = oldRootOf(accepted.size, other, found.proof);
    expect(impliedRoot).toBeDefined();
    expect(impliedRoot?.equals(accepted.root)).toBe(false);
  });

  it('keeps and publishes the evidence after the operator has reset the hub', async () => {
    const double = await hub(7, 700);
    await follow(double);
    double.fork(400, 900);
    await node.until(double, 'frozen', 700);
    const [fork] = JSON.parse(await text('/network/hubs/7/evidence')) as unknown[];
    await node.stop();
    const reset = () => isccd(['network', 'reset', '7', '--yes'], { env: node.env });
    expect(await reset()).toMatchObject({ code: 0 });
    expect((await isccd(['network', 'verify'], { env: node.env })).code).toBe(0);
    await node.start();
    // The other branch is the log now, from its first entry.
    const status = await node.until(double, 'following', 900);
    expect(status).toMatchObject({ ok: true, alarm: null, since: { size: 900 } });
    const twin = new SlowTwin(0, 7);
    for (let leaf = 0; leaf < double.size; leaf += 1) twin.take(double.record(leaf));
    await node.expectAssets({ isccIds: [...twin.assets.keys()], assets: [...twin.assets.values()] });
    expect(await node.assets()).toBe(twin.assets.size);
    expect(JSON.parse(await text('/network/hubs/7/evidence'))).toEqual([fork]);
    double.fork(100, 950);
    await node.until(double, 'frozen', 900);
    expect((await node.state(double))?.alarm).toMatchObject({ kind: 'fork', evidence: 2 });
    const [first, second, ...others] = JSON.parse(await text('/network/hubs/7/evidence')) as unknown[];
    expect({ first, others }).toEqual({ first: fork, others: [] });
    expect(second).toMatchObject({ kind: 'fork' });
    expect(second).not.toEqual(fork);
    await node.stop();
    expect(await reset()).toMatchObject({ code: 0 });
    // A hub that no list names keeps its evidence, too.
    await node.list(await hub(8, 3));
    await node.start();
    expect(JSON.parse(await text('/network/hubs/7/evidence'))).toEqual([first, second]);
  });

  it('mirrors logs whose files pass the check of a log on disk', async () => {
    const double = await hub(7, MIRRORED);
    await follow(double, { INDEXSVC_AGGREGATOR_MIRROR: 'full' });
    double.append(3);
    const size = MIRRORED + 3;
    await node.until(double, 'following', size);
    const copy = await mkdtemp(path.join(tmpdir(), 'isccd-mirror-'));
    const save = async (file: string) => {
      const response = await node.get(`/network/hubs/7/log/${file}`);
      expect({ file, status: response.status }).toEqual({ file, status: 200 });
      const target = path.join(copy, file);
      await mkdir(path.dirname(target), { recursive: true });
      const bytes = Buffer.from(await response.arrayBuffer());
      await writeFile(target, bytes);
      return bytes;
    };
    await save('checkpoint');
    const blocks = Math.floor(size / 256);
    const last = native.logEntriesPath(blocks, size % 256);
    for (let at = 0; at < blocks; at += 1) await save(native.logEntriesPath(at, 256));
    await save(last);
    expect(await save('tile/0/000')).toHaveLength(256 * 32);
    for (let at = 0; at * 256 < blocks; at += 1)
      await save(native.logTilePath(1, at, Math.min(256, blocks - at * 256)));
    if (blocks > 256) {
      const below = await save('tile/1/000');
      expect(await save('tile/2/000.p/1')).toEqual(await native.logHashesRoot(below));
    }
    const check = ['network', 'check', copy, '--origin', double.origin, '--key', double.listedKey];
    const checked = await isccd([...check, '--hub-id', '7', '--network', 'testnet', '--assets', '--json']);
    const { tree, assets } = JSON.parse(checked.stdout) as { tree: string; assets: unknown[] };
    expect({ tree, assets: assets.length }).toEqual({ tree: 'ok', assets: double.assets.length });
    const wrong = ['tile/entries/0', 'tile/entries/000.p/256', 'tile/3/000.p/1', 'tile/entries/../000'];
    for (const file of [...wrong, native.logEntriesPath(blocks, 256), native.logEntriesPath(blocks + 1, 1)])
      expect({ file, status: (await node.get(`/network/hubs/7/log/${file}`)).status }).toEqual({
        file,
        status: 404,
      });
    const narrow = await save(native.logEntriesPath(blocks, 1));
    expect(narrow.subarray(2)).toEqual(double.record(blocks * 256));
    expect((await isccd(['network', 'verify'], { env: node.env })).code).toBe(0);
    await rm(copy, { recursive: true });
  });

  it('follows logs in memory, and starts again from nothing', async () => {
    const double = await hub(7, 5000);
    await follow(double, { INDEXSVC_INDEX_URI: 'memory://' });
    await node.expectAssets(double);
    const found = await inclusion(String(double.isccIds[2000]));
    const leaf = leafHash(double.record(found.leafIndex));
    expect(isIncluded(leaf, found.leafIndex, found.inclusionProof, parsedNote(found.checkpoint))).toBe(true);
    const verified = await isccd(['network', 'verify'], { env: node.env });
    expect(verified).toMatchObject({ code: 2, stderr: expect.stringContaining('in memory') });
    await node.kill();
    double.requests.length = 0;
    await node.start();
    await node.until(double, 'following', 5000);
    expect(double.requests.some((request) => request.includes('entries/000'))).toBe(true);
    expect(await node.assets()).toBe(double.assets.length);
  });
});
