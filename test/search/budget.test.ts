/** Searches that would take too long are refused, with a threshold at which they are accepted. */
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../codes/support/folder.js';
import { randomAsset } from './support/random-assets.js';
import { post, startSearch } from './support/search-server.js';

const ASSETS = 2000;
/** Less than a search takes on any processor. */
const SECONDS = '0.0000001';

async function started(): Promise<string> {
  const server = await startSearch(await temporaryFolder(), { INDEXSVC_SEARCH_SECONDS_MAX: SECONDS });
  onTestFinished(() => server.stop());
  expect((await post(`${server.url}/indexes`, { name: 'main' })).status).toBe(201);
  const url = `${server.url}/indexes/main`;
  const entries = Array.from({ length: ASSETS }, (_, number) => randomAsset(number));
  expect((await post(`${url}/assets`, entries)).status).toBe(201);
  return url;
}

/** Without lists, no threshold makes the search cheaper. */
const REFUSED = /^the search would compare \d+ rows; search with fewer units or simprints$/;

test('refuses POST and GET with 400', async () => {
  const url = await started();
  const { units = [] } = randomAsset(3);
  const posted = await post(`${url}/search`, { units });
  expect([posted.status, await posted.json()]).toEqual([400, { detail: expect.stringMatching(REFUSED) }]);
  const code = 'ISCC:KUABLDA46RGP3AQIGWC7QX6D7PGA2';
  const got = await fetch(`${url}/search?iscc_code=${code}`);
  expect([got.status, await got.json()]).toEqual([400, { detail: expect.stringMatching(REFUSED) }]);
});

test('has the error in the place of a query of a batch', async () => {
  const url = await started();
  const { units = [] } = randomAsset(3);
  const nothing = { units: ['ISCC:IAATLBPYL7B7XTAN'] };
  const response = await post(`${url}/searches`, [nothing, { units }, nothing]);
  expect(response.status).toBe(200);
  const found = expect.objectContaining({ global_matches: [] });
  expect(await response.json()).toEqual([
    found,
    { status: 400, detail: expect.stringMatching(REFUSED) },
    found,
  ]);
});
