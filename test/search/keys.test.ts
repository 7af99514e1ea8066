/** API keys: rights, indexes, rotation, and the command that manages them. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Entry } from '../../src/client/search-api.js';
import type { RunningServer } from '../../src/http/server.js';
import { searchVariables } from '../../src/platform/config/search.js';
import { readVariables } from '../../src/platform/config/variable.js';
import { searchApp } from '../../src/services/search/app.js';
import { backupSearch } from '../../src/services/search/backup.js';
import { RIGHTS, type Right } from '../../src/services/search/keys/access.js';
import { createKey, readKeys, revokeKey } from '../../src/services/search/keys/key-file.js';
import { FormatRefused } from '../../src/storage/data/format.js';
import { isccd } from '../support/command.js';
import { post, rows, startSearch } from './support/search-server.js';

const SECRET = 'the one of the environment';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'isccd-keys-'));
  return () => rm(folder, { recursive: true, force: true });
});
const [entry] = (await rows<Entry>('assets.jsonl')) as [Entry];

describe('a key', () => {
  let server: RunningServer;
  let file: string;
  const keys = new Map<string, string>();
  const create = async (label: string, rights: readonly Right[], indexes?: readonly string[]) => {
    keys.set(label, (await createKey(file, { rights, indexes })).key);
  };
  const send = async (key: string | undefined, method: string, target: string, body?: string) => {
    const headers = { 'Content-Type': 'application/json', ...(key !== undefined && { 'X-API-Key': key }) };
    const response = await fetch(server.url + target, {
      method,
      headers,
      ...(body !== undefined && { body }),
    });
    await response.arrayBuffer();
    return response.status;
  };

  beforeAll(async () => {
    file = path.join(folder, 'rights.json');
    for (const right of RIGHTS) await create(right, [right]);
    for (const right of RIGHTS) await create(`${right} of another index`, [right], ['other']);
    await create('all', RIGHTS);
    await create('all of a1', RIGHTS, ['a1']);
    server = await startSearch(path.join(folder, 'rights'), {
      INDEXSVC_KEY_FILE: file,
      INDEXSVC_API_SECRET: SECRET,
    });
    return () => server.stop();
  });
  beforeEach(async () => {
    for (const name of ['a1', 'other'])
      await post(`${server.url}/indexes`, { name }, { 'X-API-Key': SECRET });
  });

  test('is checked on every route by the right of its row', async () => {
    const app = await searchApp(readVariables(searchVariables, { INDEXSVC_INDEX_URI: 'memory://' }), folder);
    await app.close?.();
    const closed = app.routes.filter(({ security }) => security !== undefined);
    expect(closed.every(({ right, guard }) => RIGHTS.includes(right as Right) && guard)).toBe(true);
    const open = app.routes.filter(({ security }) => security === undefined);
    expect(open.filter(({ path }) => /^\/(?:indexes|aliases)/.test(path))).toEqual([]);
    expect(new Set(closed.map(({ right }) => right))).toEqual(new Set(RIGHTS));
    for (const { method, path: pattern, right } of closed) {
      const target = pattern.replace('{name}', 'a1').replace('{iscc_id}', entry.iscc_id);
      const named = pattern.includes('{name}');
      const allowed = [SECRET, keys.get(right as string), keys.get('all')];
      const refused = [
        ...RIGHTS.filter((other) => other !== right).map((other) => keys.get(other)),
        ...(named ? RIGHTS.map((other) => keys.get(`${other} of another index`)) : []),
      ];
      for (const key of refused)
        expect([method, pattern, await send(key, method, target)]).toEqual([method, pattern, 403]);
      for (const key of [undefined, '', 'unknown', readKeys(file)?.[0]?.sha256])
        expect([method, pattern, await send(key, method, target)]).toEqual([method, pattern, 401]);
      for (const key of [...allowed, ...(named ? [keys.get('all of a1')] : [])])
        expect([401, 403, 500]).not.toContain(await send(key, method, target));
    }
  });

  test('for some indexes lists and creates only these', async () => {
    const key = { 'X-API-Key': keys.get('all of a1') as string };
    const list = await (await fetch(`${server.url}/indexes`, { headers: key })).json();
    expect(list).toEqual([expect.objectContaining({ name: 'a1', assets: 0 })]);
    expect((await post(`${server.url}/indexes`, { name: 'b' }, key)).status).toBe(403);
    expect((await post(`${server.url}/indexes`, { name: 'a1' }, key)).status).toBe(409);
    // The last member of a name counts.
    const twice = '{"name":"b","name":"a1"}';
    expect(await send(key['X-API-Key'], 'POST', '/indexes', twice)).toBe(409);
    expect(await send(key['X-API-Key'], 'POST', '/indexes', '{')).toBe(403);
    const response = await post(`${server.url}/indexes/other/search`, {}, key);
    expect([response.status, await response.json()]).toEqual([
      403,
      { detail: expect.stringContaining("lacks the right 'read' for 'other'") },
    ]);
  });
});

describe('the file', () => {
  const status = async (server: RunningServer, key?: string) =>
    (await fetch(`${server.url}/indexes`, { headers: key === undefined ? {} : { 'X-API-Key': key } })).status;
  /** A change takes effect soon. */
  const until = async (server: RunningServer, key: string | undefined, wanted: number) => {
    while ((await status(server, key)) !== wanted) await pause(20);
  };

  test('changes while the service runs: two keys are valid at once, then only the new one', async () => {
    const data = path.join(folder, 'running');
    const file = path.join(data, 'search', 'keys.json');
    const server = await startSearch(data);
    expect(await status(server)).toBe(200);
    const first = await createKey(file, { rights: ['read'] });
    await until(server, undefined, 401);
    await until(server, first.key, 200);
    const second = await createKey(file, { rights: ['read'], name: 'new' });
    await until(server, second.key, 200);
    expect(await status(server, first.key)).toBe(200);
    expect(await revokeKey(file, first.entry.id)).toBe(true);
    await until(server, first.key, 401);
    expect(await status(server, second.key)).toBe(200);
    expect(await readFile(file, 'utf8')).not.toContain(second.key);

    await writeFile(file, '{"keys":[{"id":"x"}]}');
    const third = await createKey(file, { rights: ['read'] }).catch((error) => error);
    expect(third).toBeInstanceOf(FormatRefused);
    expect(await status(server, second.key)).toBe(200);
    await rm(file);
    await until(server, second.key, 401);
    expect(await status(server)).toBe(401);
    await server.stop();
  });

  test('is refused at start if it is invalid, with the field and the rule', async () => {
    const key = { id: 'x', sha256: 'a'.repeat(64), rights: ['read'] };
    const cases: readonly [unknown, string][] = [
      ['{', 'expected object'],
      [{ keys: [{ ...key, rights: ['reed'] }] }, 'keys 0 rights 0 must be read, write, admin'],
      [{ keys: [{ ...key, rights: [] }] }, 'keys 0 rights must have at least one right'],
      [{ keys: [{ ...key, sha256: 'A' }] }, 'keys 0 sha256 must be the SHA-256 of the key in lower-case hex'],
      [{ keys: [{ ...key, indexes: ['A b'] }] }, 'keys 0 indexes 0 must be the name of an index or alias'],
      [{ keys: [{ ...key, index: ['a'] }] }, 'Unrecognized key: "index"'],
    ];
    const file = path.join(folder, 'invalid.json');
    const config = readVariables(searchVariables, {
      INDEXSVC_INDEX_URI: 'memory://',
      INDEXSVC_KEY_FILE: file,
    });
    for (const [content, rule] of cases) {
      await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
      const error = await searchApp(config, folder).catch((thrown) => thrown);
      expect(error).toBeInstanceOf(FormatRefused);
      expect(error.message).toContain(rule);
      expect(error.message).toContain(file);
    }
  });

  test('is part of a backup', async () => {
    const source = path.join(folder, 'running', 'search');
    await createKey(path.join(source, 'keys.json'), { rights: ['read'] });
    const { files } = await backupSearch(source, path.join(folder, 'copy'), () => {});
    expect(files).toContain('keys.json');
    expect(readKeys(path.join(folder, 'copy', 'keys.json'))).toHaveLength(1);
  });
});

test('isccd index key creates, lists and revokes keys', async () => {
  const env = { ISCCD_DATA_DIR: path.join(folder, 'command') };
  const run = (...args: string[]) => isccd(['index', 'key', ...args], { env });
  const created = await run('create', '--rights', 'write,read', '--indexes', 'b,a', '--name', 'site');
  expect([created.code, created.stderr]).toEqual([0, '']);
  const { key, ...shown } = JSON.parse(created.stdout);
  expect(shown).toEqual({
    id: expect.stringMatching(/^[0-9a-f]{8}$/),
    name: 'site',
    rights: ['read', 'write'],
    indexes: ['b', 'a'],
    created: expect.any(String),
  });
  const server = await startSearch(env.ISCCD_DATA_DIR);
  expect((await fetch(`${server.url}/indexes`, { headers: { 'X-API-Key': key } })).status).toBe(200);
  expect((await fetch(`${server.url}/indexes`)).status).toBe(401);
  await server.stop();
  expect(JSON.parse((await run('list')).stdout)).toEqual(shown);
  expect((await run('revoke', shown.id)).code).toBe(0);
  expect((await run('list')).stdout).toBe('');
  const again = await run('revoke', shown.id);
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining(`contains no key ${shown.id}`)]);
  const missing = path.join(folder, 'missing.json');
  const none = await run('list', '--file', missing);
  expect([none.code, none.stdout, none.stderr]).toEqual([1, '', `isccd: ${missing} does not exist\n`]);
  const wrong = await run('create', '--rights', 'reed');
  expect([wrong.code, wrong.stderr]).toEqual([
    2,
    expect.stringContaining('reed is not one of read, write, admin'),
  ]);
});
