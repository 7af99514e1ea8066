/** `isccd store trust`: lists that replace the bundled ones, and what a running store makes of them. */
import { copyFile, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { native } from '../../src/native.js';
import { startStoreProcess } from '../store/support/process.js';
import { isccd } from '../support/command.js';

const FIXTURES = path.resolve(import.meta.dirname, '../fixtures/c2pa/trust');
const SETTLE = { timeout: 30_000, interval: 100 };

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'isccd-trust-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs the command on the data folder `name`. */
function trust(name: string, ...args: readonly string[]) {
  const env = { MSTORE_DATA_DIR: path.join(folder, name), MSTORE_TRUST_ANCHORS: '' };
  return isccd(['store', 'trust', ...args], { env, cwd: folder });
}

async function certificate(name: string) {
  const made = await native.makeTestCertificate('es256', name);
  const file = path.join(folder, `${name}.pem`);
  await writeFile(file, made.rootPem);
  return { ...made, file };
}

async function listed(name: string): Promise<object[]> {
  const { stdout } = await trust(name, 'list', '--json');
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

test('a running store judges stored manifests again by an updated list', async () => {
  const dataDir = path.join(folder, 'running');
  const { chainPem, keyPem, file } = await certificate('agency');
  const changed = new Date('2026-01-05T12:00:00Z');
  await utimes(file, changed, changed);
  const store = await startStoreProcess({ dataDir, url: undefined }, { MSTORE_TRUST_ANCHORS: '' });
  onTestFinished(() => store.stop());
  const bytes = await native.signManifest({
    ...{ chainPem, keyPem, algorithm: 'es256', title: 'A title', format: 'image/jpeg' },
    assetHash: Buffer.alloc(32, 1),
    bindings: [],
  });
  const { manifestId } = (await (await store.upload(bytes)).json()) as { manifestId: string };
  const verdict = async () => {
    const response = await store.get(manifestId, { Accept: 'application/json' });
    const { trusted, trustList } = (await response.json()) as { trusted: boolean; trustList?: string };
    return [trusted, trustList];
  };
  expect(await verdict()).toEqual([false, undefined]);
  const updated = await trust('running', 'update', file);
  expect([updated.code, updated.stderr]).toEqual([0, '']);
  expect(updated.stdout).toBe(
    'list of signers: agency, 1 certificate (1 added, 30 removed), of 2026-01-05\n' +
      'running services use it after SIGHUP or a restart; stores then validate their manifests again\n',
  );
  process.kill(store.pid, 'SIGHUP');
  await expect.poll(verdict, SETTLE).toEqual([true, 'agency']);
  expect(await store.json('/readyz')).toMatchObject({
    status: 'ready',
    trustLists: { agency: '2026-01-05' },
  });
  const expired = await readFile(path.join(FIXTURES, 'expired-stamped.c2pa'));
  expect(await (await store.upload(expired)).json()).toMatchObject({ code: 'signingCredential.expired' });
  const stampers = path.join(FIXTURES, 'time-stampers.pem');
  expect((await trust('running', 'update', stampers, '--kind', 'time-stampers')).code).toBe(0);
  expect((await trust('running', 'reset', 'signers')).stdout).toMatch(/^list of signers: the bundled one/);
  process.kill(store.pid, 'SIGHUP');
  await expect.poll(verdict, SETTLE).toEqual([false, undefined]);
  expect((await store.upload(expired)).status).toBe(200);
  const audit = await isccd(['store', 'audit', '--action', 'manifest-rejudged', '--json'], {
    env: { MSTORE_DATA_DIR: dataDir },
  });
  expect(audit.stdout.trim().split('\n')).toHaveLength(2);
});

test('lists what counts, and restores the bundled list', async () => {
  const bundled = await listed('lists');
  expect(bundled).toEqual([
    expect.objectContaining({
      kind: 'signers',
      name: 'C2PA-TRUST-LIST',
      certificates: 30,
      source: 'bundled',
    }),
    expect.objectContaining({ kind: 'time-stampers', name: 'C2PA-TSA-TRUST-LIST', source: 'bundled' }),
  ]);
  const { file } = await certificate('CAWG-roots');
  expect(JSON.parse((await trust('lists', 'update', file, '--json')).stdout)).toMatchObject({
    ...{ kind: 'identities', name: 'CAWG-roots', certificates: 1, expired: 0, added: 1, removed: 0 },
  });
  await copyFile(path.join(FIXTURES, 'time-stampers.pem'), path.join(folder, 'OWN-TSA-LIST.pem'));
  expect((await trust('lists', 'update', 'OWN-TSA-LIST.pem')).code).toBe(0);
  expect(await listed('lists')).toEqual([
    expect.objectContaining({ kind: 'signers', source: 'bundled' }),
    expect.objectContaining({ kind: 'identities', name: 'CAWG-roots', source: file, outdated: false }),
    expect.objectContaining({ kind: 'time-stampers', name: 'OWN-TSA-LIST', certificates: 1 }),
  ]);
  const text = await trust('lists');
  expect(text.stdout).toMatch(/^identities {5}CAWG-roots: 1 certificate, of 20\d\d-\d\d-\d\d \(.*\)$/m);
  const checked = await isccd(['check', 'config', 'store'], {
    env: { MSTORE_DATA_DIR: path.join(folder, 'lists') },
    cwd: folder,
  });
  expect(checked.stdout).toMatch(/^ {2}trust list of identities: CAWG-roots of 20\d\d-\d\d-\d\d$/m);
  expect(checked.stdout).toMatch(/^ {2}list of soft-binding algorithms of 20\d\d-\d\d-\d\d/m);
  for (const kind of ['identities', 'time-stampers']) await trust('lists', 'reset', kind);
  expect(await listed('lists')).toEqual(bundled);
  // No drafts are left.
  expect((await readdir(path.join(folder, 'lists'))).sort()).toEqual(['FORMAT']);
});

test('refuses other files, names the way out and keeps the earlier list', async () => {
  const { file, keyPem, chainPem } = await certificate('kept');
  expect((await trust('refused', 'update', file)).code).toBe(0);
  const before = await listed('refused');
  const stampers = path.resolve(
    import.meta.dirname,
    '../../crates/c2pa-manifest/data/trust/C2PA-TSA-TRUST-LIST.pem',
  );
  const cases: readonly (readonly [string, RegExp, string?])[] = [
    ['nowhere.pem', /nowhere\.pem can't be read: .*ENOENT/],
    ['page.html', /contains no certificate: it must be PEM/, '<html></html>'],
    ['key.pem', /is not a certificate: it is a block of the type PRIVATE KEY/, keyPem],
    ['leaf.pem', /certificate 1 \(.*CN=kept\) is not that of an authority/, chainPem],
    ['large.pem', /large\.pem has more than 2 MiB/, ' '.repeat((2 << 20) + 1)],
    ['other.json', /is not JSON of ETSI TS 119 602/, '{"list":[]}'],
    [`${stampers} --kind signers`, /is for time-stampers, not for signers of content; .*--kind/],
    ['http://trust.example/list.pem', /must begin with https:\/\/: download the file/],
    ['ftp://trust.example/list.pem', /must begin with https:\/\/: download the file/],
    ['https://a:b@trust.example/list.pem', /must have no user name and password/],
  ];
  const refused = cases.map(async ([args, message, content]) => {
    if (content !== undefined) await writeFile(path.join(folder, args), content);
    const { code, stdout, stderr } = await trust('refused', 'update', ...args.split(' '));
    expect([args, code, stdout, stderr]).toEqual([args, 1, '', expect.stringMatching(message)]);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });
  await Promise.all(refused);
  expect(await listed('refused')).toEqual(before);
  expect((await trust('refused', 'reset', 'everyone')).code).toBe(2);
  const damaged = path.join(folder, 'refused/trust-signers.json');
  await writeFile(damaged, (await readFile(damaged, 'utf8')).slice(0, 100));
  const unreadable = await trust('refused', 'list');
  expect([unreadable.code, unreadable.stderr]).toEqual([
    2,
    expect.stringMatching(/isccd store trust reset signers/),
  ]);
  expect((await trust('refused', 'reset', 'signers')).code).toBe(0);
});

async function serverOf(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('downloads a list, without leaving https on the way', async () => {
  const { rootPem } = await certificate('served');
  const url = await serverOf(({ url: place }, response) => {
    response.setHeader('Connection', 'close');
    if (place === '/lists/OFFICE-TSA.pem') response.end(rootPem);
    else if (place === '/endless') response.end(Buffer.alloc((2 << 20) + 1, ' '));
    else if (place === '/moved') response.writeHead(302, { Location: '/lists/OFFICE-TSA.pem' }).end();
    else if (place === '/loop') response.writeHead(302, { Location: '/loop' }).end();
    else if (place === '/plain') response.writeHead(302, { Location: 'http://trust.example/' }).end();
    else response.writeHead(404).end();
  });
  const update = (place: string) => trust('served', 'update', `${url}${place}`, '--json');
  expect(JSON.parse((await update('/lists/OFFICE-TSA.pem')).stdout)).toMatchObject({
    ...{ kind: 'time-stampers', name: 'OFFICE-TSA', certificates: 1 },
  });
  expect(JSON.parse((await update('/moved')).stdout)).toMatchObject({ kind: 'signers', name: 'moved' });
  const refused = [
    ['/loop', /more than 2 redirects/],
    ['/plain', /http:\/\/trust\.example\/, to which .*\/plain redirects, must begin with https/],
    ['/endless', /has more than 2 MiB/],
    ['/missing', /responds with status 404/],
  ] as const;
  const runs = refused.map(async ([place, message]) => {
    const { code, stderr } = await update(place);
    expect([place, code, stderr]).toEqual([place, 1, expect.stringMatching(message)]);
  });
  await Promise.all(runs);
});
