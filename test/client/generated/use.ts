/** Uses the types made by openapi-typescript: codes a photo, indexes it with metadata, and finds it. */
import { readFile } from 'node:fs/promises';
import createClient from 'openapi-fetch';
import type { paths as CodesPaths } from './codes.js';
import type { paths as ResolverPaths } from './resolver.js';
import type { paths as SearchPaths } from './search.js';
import type { paths as StorePaths } from './store.js';

const [photo = '', codesUrl = '', searchUrl = '', storeUrl = '', resolverUrl = ''] = process.argv.slice(2);
const codes = createClient<CodesPaths>({ baseUrl: codesUrl });
const search = createClient<SearchPaths>({ baseUrl: searchUrl, headers: { 'X-API-Key': 'key' } });
const store = createClient<StorePaths>({ baseUrl: storeUrl });
const resolver = createClient<ResolverPaths>({ baseUrl: resolverUrl });

const body = await readFile(photo);
const created = await codes.POST('/api/v1/iscc', {
  params: { query: { granular: false }, header: { 'x-upload-filename': btoa('photo.jpg') } },
  body: '',
  bodySerializer: () => body,
  headers: { 'Content-Type': 'application/octet-stream' },
});
const iscc = created.data?.iscc;
if (iscc === undefined) throw new Error(`no code: ${JSON.stringify(created.error)}`);

const index = { params: { path: { name: 'typescript' } } } as const;
await search.POST('/indexes', { body: { name: 'typescript' } });
const metadata = { name: 'Photo', tags: ['a', 1, null, { deep: true }] };
const added = await search.POST('/indexes/{name}/assets', {
  ...index,
  body: [{ iscc_id: 'ISCC:MAIGIIFJRDGEQQAA', iscc_code: iscc, metadata }],
});
if (added.data?.[0]?.status !== 'created') throw new Error(JSON.stringify(added.error));
const found = await search.GET('/indexes/{name}/search', {
  params: { ...index.params, query: { iscc_code: iscc, limit: 5 } },
});
const alg = 'io.iscc.v0';
const value = Buffer.from('no such code').toString('base64');
const matches = await store.GET('/v1/matches/byBinding', { params: { query: { alg, value } } });
const algorithms = await resolver.GET('/v1/services/supportedAlgorithms');
console.log(
  JSON.stringify({
    iscc,
    match: found.data?.global_matches[0],
    refused: matches.error,
    fingerprints: algorithms.data?.fingerprints,
  }),
);
