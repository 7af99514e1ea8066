/** Indexes one file, then finds it by another version of it. Usage: node find.mjs KNOWN WANTED */
import { CodesClient, SearchClient } from 'isccd/client';

const { CODES_URL = 'http://127.0.0.1:8000', SEARCH_URL = 'http://127.0.0.1:8010', SEARCH_KEY } = process.env;
const codes = new CodesClient(CODES_URL);
const search = new SearchClient(SEARCH_URL, SEARCH_KEY ? { apiKey: SEARCH_KEY } : {});
const [known, wanted] = process.argv.slice(2);

const index = 'examplenode';
const indexes = await search.listIndexes();
if (!indexes.some(({ name }) => name === index)) await search.createIndex(index);

const { iscc, units } = await codes.createIscc(known);
// In production, a hub of the ISCC network issues the id.
await search.addAssets(index, [
  { iscc_id: 'ISCC:MAIGIIFJRDGEQQAA', iscc_code: iscc, units, metadata: { file: known } },
]);

const query = await codes.createIscc(wanted);
const { global_matches: matches } = await search.search(index, { units: query.units }, 10);
for (const { metadata, score } of matches) console.log(`${metadata.file}  similarity ${score.toFixed(2)}`);
if (matches.length === 0) console.log('nothing similar');
