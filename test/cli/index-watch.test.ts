/** `isccd index watch`: makes, lists, follows and removes watches of a service. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { Entry, WatchEvent } from '../../src/client/search-api.js';
import { type SearchProcess, startProcess } from '../search/support/search-process.js';
import { post } from '../search/support/search-server.js';
import { isccd } from '../support/command.js';
import { freePorts } from '../support/free-ports.js';
import { MAIN } from '../support/serve.js';

const PICTURE = path.resolve(import.meta.dirname, '../fixtures/codes/files/orient3_a.jpg');
const IDS = ['ISCC:MAIGBISBQHSEJW52', 'ISCC:MAIGBISBQHSEJW53'];

let folder: string;
let service: SearchProcess;
let units: readonly string[];
let port: number;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'isccd-watch-'));
  [port = 0] = await freePorts(1);
  await start();
  units = JSON.parse((await isccd(['code', PICTURE])).stdout).units;
  await post(`${service.url}/indexes`, { name: 'photos' });
});
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
});

async function start(): Promise<void> {
  service = await startProcess(`usearch://${folder}/search`, { INDEXSVC_PORT: String(port) });
}

async function watch(...args: string[]) {
  const { code, stdout, stderr } = await isccd(['index', 'watch', ...args, '--at', service.url]);
  return { code, stderr, lines: stdout.split('\n').filter(Boolean) };
}

async function add(id: string | undefined): Promise<void> {
  const asset = { iscc_id: id, units } as unknown as Entry;
  expect((await post(`${service.url}/indexes/photos/assets`, [asset])).status).toBe(201);
}

/** The command, and its events as it prints them. */
function follow(...args: string[]): { child: ChildProcess; next: () => Promise<WatchEvent> } {
  const command = [MAIN, 'index', 'watch', 'events', ...args, '--at', service.url];
  const child = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill());
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return { child, next: async () => JSON.parse((await lines.next()).value) };
}

test('a file is watched, and a command that follows prints each change, also after a restart of the service', async () => {
  const made = await watch('add', 'photos', 'cover', PICTURE, '--threshold', '0.9');
  expect([made.code, made.stderr]).toEqual([0, '']);
  expect(JSON.parse(made.lines[0] ?? '')).toMatchObject({ id: 'cover', query: { units }, threshold: 0.9 });
  await add(IDS[0]);
  const { child, next } = follow('photos', 'cover');
  const first = await next();
  expect(first).toMatchObject({ type: 'asset.added', data: { watch: 'cover', iscc_id: IDS[0] } });
  await service.stop();
  await start();
  await add(IDS[1]);
  expect(await next()).toMatchObject({ type: 'asset.added', data: { iscc_id: IDS[1] } });
  child.kill();
  const after = follow('photos', 'cover', '--after', first.id);
  expect(await after.next()).toMatchObject({ data: { iscc_id: IDS[1] } });
});

test('watches are listed, printed and removed; a missing one is named', async () => {
  await watch('add', 'photos', 'unit', units[0] ?? '');
  await add(IDS[0]);
  await watch('add', 'photos', 'same', IDS[0] ?? '');
  const { lines } = await watch('list', 'photos');
  const listed = lines.map((line) => JSON.parse(line));
  expect(listed).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ id: 'unit', query: expect.objectContaining({ units: [units[0]] }) }),
      expect.objectContaining({ id: 'same', same_as: IDS[0] }),
    ]),
  );
  expect(JSON.parse((await watch('get', 'photos', 'same')).lines[0] ?? '')).toMatchObject({ id: 'same' });
  const removed = await watch('rm', 'photos', 'unit', 'same', 'other');
  expect([removed.code, removed.stderr.trim()]).toEqual([1, 'isccd: index photos has no watch other']);
  expect((await watch('get', 'photos', 'same')).stderr).toMatch(/no watch/i);
});

test('a place without a service and values outside their range are refused', async () => {
  const failed = async (...args: string[]) => {
    const { code, stderr } = await isccd(['index', 'watch', ...args]);
    return `${code} ${stderr.trim()}`;
  };
  expect(await failed('list', 'photos', '--at', folder)).toMatch(/^2 .*--at must be the URL of a service/);
  expect(await failed('add', 'photos', 'w', PICTURE, '--at', service.url, '--min-score', '2')).toMatch(
    /^2 .*--min-score must be a number from 0 to 1$/,
  );
  expect(await failed('events', 'missing', 'w', '--at', service.url)).toMatch(/^1 .*missing/);
});
