/** Aliases of indexes, and renaming. */
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Entry } from '../../src/client/search-api.js';
import { SearchClient } from '../../src/client/search-client.js';
import type { RunningServer } from '../../src/http/server.js';
import { openEngine } from '../../src/services/search/engine/open.js';
import { InProcessSearch } from '../../src/services/search/in-process.js';
import { createKey } from '../../src/services/search/keys/key-file.js';
import { BACKENDS, has, indexFolder } from './support/engines.js';
import { indexUri } from './support/locations.js';
import { rows, startSearch } from './support/search-server.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'isccd-aliases-'));
  return () => rm(folder, { recursive: true, force: true });
});
const entries = (await rows<Entry>('assets.jsonl')).filter(({ iscc_code }) => iscc_code).slice(0, 40);
const [first, second] = entries as [Entry, Entry];

describe.each(BACKENDS)('%s', (backend) => {
  let server: RunningServer;
  let client: SearchClient;
  const start = async () => {
    server = await startSearch(folder, { INDEXSVC_INDEX_URI: indexUri(backend, path.join(folder, backend)) });
    client = new SearchClient(server.url);
  };
  const create = async (name: string, ...added: Entry[]) => {
    await client.createIndex(name);
    if (added.length > 0) await client.addAssets(name, added);
  };
  const names = async () => (await client.listIndexes()).map(({ name }) => name).sort();
  const status = async (method: string, target: string, body?: unknown) => {
    const headers = { 'Content-Type': 'application/json' };
    const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
    const response = await fetch(server.url + target, init);
    const text = await response.text();
    return [response.status, text === '' ? undefined : JSON.parse(text)];
  };
  beforeAll(async () => {
    await start();
    return () => server.stop();
  });

  test('an alias is accepted wherever a name is, and switches at once', async () => {
    await create('blue', first);
    await create('green');
    expect(await client.putAlias('current', 'blue')).toEqual({ name: 'current', index: 'blue' });
    expect(await client.getIndex('current')).toMatchObject({ name: 'blue', assets: 1 });
    expect(await client.getAsset('current', first.iscc_id)).toMatchObject({ iscc_id: first.iscc_id });
    await client.addAssets('current', [second]);
    const found = await client.search('current', { iscc_code: second.iscc_code as string });
    expect(found.global_matches.map(({ iscc_id }) => iscc_id)).toContain(second.iscc_id);
    await client.deleteAssets('current', [first.iscc_id]);
    expect((await client.assetLines('current', undefined, 10)).lines.toString()).toContain(second.iscc_id);

    await client.putAlias('current', 'green');
    expect(await client.getIndex('current')).toMatchObject({ name: 'green', assets: 0 });
    await client.putAlias('other', 'blue');
    expect(await client.listAliases()).toEqual([
      { name: 'current', index: 'green' },
      { name: 'other', index: 'blue' },
    ]);
    expect(await client.getAlias('other')).toEqual({ name: 'other', index: 'blue' });
    await client.deleteAlias('other');
    expect(await status('GET', '/aliases/other')).toEqual([404, { detail: "Alias 'other' not found" }]);
    expect(await status('DELETE', '/aliases/other')).toEqual([404, { detail: "Alias 'other' not found" }]);
    expect((await status('GET', '/indexes/other'))[0]).toBe(404);
  });

  test('names that would be ambiguous or missing are refused with the reason', async () => {
    await create('real');
    await client.putAlias('alias', 'real');
    const cases: [string, string, unknown, number, string][] = [
      ['PUT', '/aliases/real', { index: 'real' }, 409, 'is the name of an index'],
      ['PUT', '/aliases/x', { index: 'alias' }, 400, "name the index 'real' itself"],
      ['PUT', '/aliases/x', { index: 'missing' }, 400, "Index 'missing' not found"],
      ['PUT', '/aliases/Bad-Name', { index: 'real' }, 422, 'at most 32 characters'],
      ['PUT', '/aliases/x', { index: 1 }, 422, 'valid string'],
      ['PUT', '/aliases/x', {}, 422, 'Field required'],
      ['PUT', '/aliases/x', { index: 'real', more: 1 }, 422, 'Extra inputs'],
      ['POST', '/indexes', { name: 'alias' }, 409, "is an alias of index 'real'"],
      ['DELETE', '/indexes/alias', undefined, 409, 'name the index itself'],
      ['DELETE', '/indexes/real', undefined, 409, 'has aliases: alias'],
      ['POST', '/indexes/alias/rename', { name: 'y' }, 409, 'name the index itself'],
      ['POST', '/indexes/real/rename', { name: 'alias' }, 409, 'is an alias'],
      ['POST', '/indexes/real/rename', { name: 'blue' }, 409, 'already exists'],
      ['POST', '/indexes/real/rename', { name: 'Y' }, 422, 'pattern'],
      ['POST', '/indexes/missing/rename', { name: 'y' }, 404, 'not found'],
    ];
    for (const [method, target, body, code, text] of cases) {
      const [got, detail] = await status(method, target, body);
      expect([method, target, got, JSON.stringify(detail)]).toEqual([
        method,
        target,
        code,
        expect.stringContaining(text),
      ]);
    }
  });

  test('a renamed index keeps its assets, its aliases and its running searches', async () => {
    await create('before', ...entries);
    await client.putAlias('stays', 'before');
    const query = { iscc_code: first.iscc_code as string };
    const wanted = await client.search('before', query);
    const running = Array.from({ length: 50 }, () => client.search('stays', query));
    const renamed = client.renameIndex('before', 'after');
    const writes = Array.from({ length: 10 }, () => client.addAssets('stays', entries.slice(0, 3)));
    expect(await renamed).toMatchObject({ name: 'after', assets: entries.length });
    for (const result of await Promise.all(running)) expect(result).toEqual(wanted);
    await Promise.all(writes);
    expect(await client.getAlias('stays')).toEqual({ name: 'stays', index: 'after' });
    expect((await status('GET', '/indexes/before'))[0]).toBe(404);
    expect(await client.search('after', query)).toEqual(wanted);
    expect(await client.renameIndex('after', 'after')).toMatchObject({ name: 'after' });

    // The former name is free again at once, also for a second renaming.
    await create('before', second);
    await client.renameIndex('before', 'third');
    await create('before');
    expect(await names()).toEqual(expect.arrayContaining(['after', 'before', 'third']));
    await client.addAssets('after', [second]);
    await client.deleteIndex('before');
    expect(await client.getIndex('after')).toMatchObject({ assets: entries.length });
  });

  // The folder of an index has its next name before the registry knows it.
  test('changes of an index are acknowledged while it is renamed', async () => {
    await create('there', first);
    await client.putAlias('moving', 'there');
    for (const name of ['back', 'there', 'back', 'there', 'back', 'there', 'back', 'there']) {
      const renaming = client.renameIndex(name === 'there' ? 'back' : 'there', name);
      const writes = Array.from({ length: 30 }, () => client.addAssets('moving', [second]));
      await Promise.all([renaming, ...writes]);
    }
    expect(await client.getIndex('moving')).toMatchObject({ name: 'there', assets: 2 });
  });

  if (has(backend, 'persistence')) {
    test('names and aliases survive a restart', async () => {
      const [before, aliases] = [await names(), await client.listAliases()];
      expect(aliases.length).toBeGreaterThan(0);
      await server.stop();
      await start();
      expect([await names(), await client.listAliases()]).toEqual([before, aliases]);
      expect(await client.getIndex('stays')).toMatchObject({ name: 'after', assets: entries.length });
      if (!has(backend, 'folder')) return;
      const files = await readdir(indexFolder(backend, folder));
      expect(files.filter((name) => name.includes('.deleted'))).toEqual([]);
    });

    // The cache of a database belongs to the service.
    const isForeign = has(backend, 'folder') && backend !== 'postgresql';
    test.runIf(isForeign)('a folder with other files is not replaced by a renamed index', async () => {
      await create('plain');
      const { mkdir } = await import('node:fs/promises');
      await mkdir(path.join(folder, backend, 'documents'));
      await writeFile(path.join(folder, backend, 'documents', 'letter.txt'), 'mine');
      expect(await status('POST', '/indexes/plain/rename', { name: 'documents' })).toEqual([
        409,
        { detail: "'documents' is in use by files that are not of an index" },
      ]);
      expect(await client.getIndex('plain')).toMatchObject({ name: 'plain' });
    });
  }
});

test('services in the same process reach an index by its alias', async () => {
  const engine = await openEngine(`usearch://${path.join(folder, 'shared')}`);
  const local = InProcessSearch.over(engine, Promise.resolve());
  await local.createIndex('one');
  await engine.putAlias('main', Buffer.from('{"index":"one"}'));
  await local.addAssets('main', [first]);
  const matches = await local.local.searchUnits('main', first.units ?? [], 10);
  expect(matches?.map(({ isccId }) => isccId)).toEqual([first.iscc_id]);
  await engine.close();
});

test('a key covers an index under its alias, and points aliases only to indexes that it covers', async () => {
  const file = path.join(folder, 'keys.json');
  const { key } = await createKey(file, { rights: ['read', 'admin'], indexes: ['public'] });
  const server = await startSearch(path.join(folder, 'keys'), {
    INDEXSVC_KEY_FILE: file,
    INDEXSVC_API_SECRET: 'operator',
  });
  const [operator, limited] = [
    new SearchClient(server.url, { apiKey: 'operator' }),
    new SearchClient(server.url, { apiKey: key }),
  ];
  await operator.createIndex('v1');
  await operator.createIndex('secret');
  await operator.putAlias('public', 'v1');
  await operator.putAlias('hidden', 'secret');
  expect(await limited.getIndex('public')).toMatchObject({ name: 'v1' });
  expect(await limited.listAliases()).toEqual([{ name: 'public', index: 'v1' }]);
  const refused = { status: 403 };
  await expect(limited.getIndex('v1')).rejects.toMatchObject(refused);
  await expect(limited.putAlias('public', 'secret')).rejects.toMatchObject(refused);
  await expect(limited.getAlias('hidden')).rejects.toMatchObject(refused);
  const query = { iscc_code: first.iscc_code as string };
  await expect(limited.search('public', query, { not_in: 'secret' })).rejects.toMatchObject(refused);
  await server.stop();
});
