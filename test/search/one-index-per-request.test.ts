/** A request that takes several steps uses one index, also if its alias is switched meanwhile. */
import { expect, onTestFinished, test } from 'vitest';
import { native } from '../../src/native.js';
import { SearchService } from '../../src/services/search/service.js';
import { temporaryFolder } from '../codes/support/folder.js';
import { indexUri } from './support/locations.js';
import { randomAsset } from './support/random-assets.js';

const JSON_TYPE = 'application/json';
/** More than a page, or a group of lines, has. */
const ASSETS = 2500;

async function opened() {
  const folder = await temporaryFolder();
  const engine = await native.openSearchEngine(indexUri('usearch', folder), { sync: false });
  const service = new SearchService(engine);
  onTestFinished(() => service.close());
  for (const name of ['blue', 'green'])
    await service.create(Buffer.from(JSON.stringify({ name })), JSON_TYPE);
  const point = (index: string) =>
    service.putAlias('current', Buffer.from(JSON.stringify({ index })), JSON_TYPE);
  await point('blue');
  const count = async (name: string) => JSON.parse((await service.get(name)).toString()).assets as number;
  return { service, point, count };
}
const lines = (first: number, count: number) =>
  Buffer.from(
    Array.from({ length: count }, (_, at) => `${JSON.stringify(randomAsset(first + at))}\n`).join(''),
  );

test('lines are added to the index that the alias had at the start', async () => {
  const { service, point, count } = await opened();
  async function* body() {
    yield lines(0, ASSETS);
    await point('green');
    yield lines(ASSETS, ASSETS);
  }
  const options = { skip: 0, lineBytesMax: 1 << 20 };
  for await (const _ of await service.addLines('current', body(), options));
  expect([await count('blue'), await count('green')]).toEqual([2 * ASSETS, 0]);
});

test('a listing has the assets of the index that the alias had at the start', async () => {
  const { service, point } = await opened();
  await service.add(
    'blue',
    Buffer.from(`[${lines(0, ASSETS).toString().trim().replaceAll('\n', ',')}]`),
    JSON_TYPE,
  );
  let found = '';
  for await (const page of await service.allLines('current', { after: undefined, filters: undefined })) {
    found += page.toString();
    await point('green');
  }
  expect(found.trim().split('\n')).toHaveLength(ASSETS);
});
